import { z } from 'zod'
import { iso, minute } from '../../time.ts'
import {
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type Peer,
  type Quote,
  quoteOf,
  type Received,
} from '../platform.ts'
import { isFresh } from './request.ts'

const Snowflake = z.string().regex(/^\d{1,20}$/)

export const User = z.object({
  id: Snowflake,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
})

const Attachment = z.object({
  filename: z.string(),
  content_type: z.string().nullish(),
  size: z.number(),
  url: z.string(),
})

/** A channel or thread. */
export const Place = z.object({
  id: Snowflake,
  type: z.number(),
  name: z.string().nullish(),
  parent_id: Snowflake.nullish(),
})
export type Place = z.output<typeof Place>

const Snapshot = z.object({
  message: z.object({
    content: z.string().default(''),
    flags: z.number().default(0),
    attachments: z.array(Attachment).default([]),
  }),
})

const Poll = z.object({
  question: z.object({ text: z.string().default('') }),
  answers: z.array(z.object({ poll_media: z.object({ text: z.string().default('') }) })).default([]),
})

/** https://docs.discord.com/developers/resources/message */
export const Message = z.object({
  id: Snowflake,
  type: z.number(),
  channel_id: Snowflake,
  guild_id: Snowflake.nullish(),
  author: User,
  webhook_id: z.string().nullish(),
  content: z.string().default(''),
  flags: z.number().default(0),
  edited_timestamp: z.string().nullish(),
  mentions: z.array(User).default([]),
  attachments: z.array(Attachment).default([]),
  referenced_message: z
    .object({ id: Snowflake, author: User, content: z.string().default('') })
    .nullish()
    .catch(null),
  /** Forwarded messages; Discord does not say who wrote them. */
  message_snapshots: z.array(Snapshot).default([]).catch([]),
  sticker_items: z
    .array(z.object({ name: z.string() }))
    .default([])
    .catch([]),
  poll: Poll.nullish().catch(null),
})
export type Message = z.output<typeof Message>

/** https://docs.discord.com/developers/interactions/receiving-and-responding */
export const Interaction = z.object({
  id: Snowflake,
  type: z.number(),
  token: z.string(),
  guild_id: z.string().nullish(),
  channel_id: z.string().nullish(),
  channel: Place.nullish(),
  message: z.object({ id: Snowflake }).nullish(),
  member: z.object({ user: User }).nullish(),
  user: User.nullish(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown().optional() })).optional(),
      resolved: z.object({ attachments: z.record(z.string(), Attachment).optional() }).optional(),
    })
    .nullish(),
})
type Interaction = z.output<typeof Interaction>

const interactionTypes = { ping: 1, command: 2, component: 3 }
/** Types of interaction responses. */
const callbacks = { pong: 1, deferredMessage: 5, deferredUpdate: 6 }

/** The response that acknowledges an interaction: "… is thinking" for a command, nothing for a button. */
export const acknowledgement = ({ kind }: Pick<InboundMessage, 'kind'>) => ({
  type: kind === 'button' ? callbacks.deferredUpdate : callbacks.deferredMessage,
})

/** What a verified request of Discord contains, with the response to it. */
export function receivedInteraction(body: unknown): Received {
  if ((body as { type?: unknown } | null)?.type === interactionTypes.ping)
    return { kind: 'answered', response: Response.json({ type: callbacks.pong }) }
  const interaction = Interaction.safeParse(body).data
  const message = interaction && fromInteraction(interaction)
  if (!message) return { kind: 'accepted', messages: [] }
  return { kind: 'accepted', messages: [message], response: Response.json(acknowledgement(message)) }
}

/** Types of messages that people write: normal ones and replies. */
const messageTypes = [0, 19]
/** The flag of a voice message. */
const voiceFlag = 1 << 13
const threadTypes = [10, 11, 12]
const discordEpoch = 1_420_070_400_000

/** How long an interaction can be answered, in milliseconds; Discord allows 15 minutes. */
const tokenAge = 14 * minute

/** The command whose text is a message for the agent. The others are what their name says. */
export const askName = 'ask'

/** Null for interactions that are neither a command nor a button, and for those of bots. */
export function fromInteraction(interaction: Interaction): InboundMessage | null {
  const user = interaction.member?.user ?? interaction.user
  const channel_id = interaction.channel?.id ?? interaction.channel_id
  const isButton = interaction.type === interactionTypes.component
  if (!user || user.bot || !channel_id || !(isButton || interaction.type === interactionTypes.command)) return null
  const { name = askName, custom_id = '', options = [], resolved } = interaction.data ?? {}
  const value = options.find(({ name }) => name === 'message')?.value
  const text = typeof value === 'string' ? value : ''
  return inboundMessage({
    id: interaction.id,
    sender: senderOf(user),
    peer: peerOf(interaction.guild_id, channel_id, interaction.channel),
    text: isButton || name === askName ? text : `/${name} ${text}`.trim(),
    about: interaction.message?.id ?? null,
    value: isButton ? custom_id : null,
    files: Object.values(resolved?.attachments ?? {}).map((one) => toFile(one)),
    sent_at: iso(timeOf(interaction.id)),
    // The answer to a button is a separate message: its interaction ended with the acknowledgement.
    reply: isButton ? {} : { token: interaction.token, expires_at: String(timeOf(interaction.id) + tokenAge) },
  })
}

/** The high bits of a snowflake are the milliseconds since 2015. */
const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + discordEpoch

function peerOf(guild_id: string | null | undefined, channel_id: string, place: Place | null | undefined): Peer {
  const isThread = place?.parent_id && threadTypes.includes(place.type)
  return {
    kind: guild_id ? 'group' : 'dm',
    id: isThread ? (place.parent_id ?? channel_id) : channel_id,
    name: place?.name ?? null,
    thread_id: isThread ? channel_id : null,
    team_id: guild_id ?? null,
  }
}

const senderOf = ({ id, global_name, username }: z.output<typeof User>) => ({
  id,
  name: global_name ?? username,
})

const toFile = (
  { filename, content_type: mime_type, size: size_bytes, url }: z.output<typeof Attachment>,
  is_voice = false,
) => inboundFile(filename, { url }, { mime_type, size_bytes, is_voice })

interface Source {
  /** The bot's own id. */
  bot_id: string
  /** `MESSAGE_UPDATE` instead of `MESSAGE_CREATE`. */
  isEdit: boolean
  /** The channel, if it is known. */
  place: Place | null
  now: number
}

/** Null for messages of bots, notices, and messages whose content Discord withholds. */
export function fromMessage(message: Message, { bot_id, isEdit, place, now }: Source): InboundMessage | null {
  const { id, author, message_snapshots: forwarded, referenced_message: answered } = message
  const files = [message, ...forwarded.map((one) => one.message)].flatMap(({ attachments, flags }) =>
    attachments.map((one) => toFile(one, (flags & voiceFlag) !== 0)),
  )
  const isWritten = !author.bot && !message.webhook_id && messageTypes.includes(message.type)
  const edited_at = message.edited_timestamp ?? ''
  // Discord also updates a message when it has loaded the preview of a link, and when somebody pins it.
  if (!isWritten || (isEdit && !isFresh({ sent_at: edited_at }, now))) return null
  const text = readable(message, bot_id) || message.sticker_items.map(({ name }) => `[sticker ${name}]`).join(' ')
  const quotes = quotesOf(message)
  const isNamed = message.mentions.some((user) => user.id === bot_id)
  const isEmpty = text === '' && files.length === 0 && quotes.every(({ kind }) => kind === 'reply')
  if (isEmpty && !isNamed) return null
  return inboundMessage({
    // Discord repeats an edit with its time in microseconds or in milliseconds.
    id: isEdit ? `${id}:${iso(Date.parse(edited_at))}` : id,
    edits: isEdit ? id : null,
    sender: senderOf(author),
    peer: peerOf(message.guild_id, message.channel_id, place),
    about: answered?.id ?? null,
    text,
    quotes,
    is_mention: !message.guild_id || isNamed || answered?.author.id === bot_id,
    files,
    sent_at: iso(timeOf(id)),
    reply: { message_id: id },
  })
}

/** What a message has of others: the one that it answers, forwarded ones, and a poll. */
function quotesOf({ author, message_snapshots, poll, referenced_message: answered }: Message): Quote[] {
  const quotes = message_snapshots.map(({ message }) => quoteOf('forward', message.content))
  if (answered) {
    const quote = quoteOf('reply', answered.content, senderOf(answered.author).name)
    quotes.push({ ...quote, is_own: answered.author.id === author.id })
  }
  if (poll) {
    const options = poll.answers.map(({ poll_media: { text } }) => `- ${text}`)
    quotes.push(quoteOf('shared', [`Poll: ${poll.question.text}`, ...options].join('\n')))
  }
  return quotes
}

/** The text with names in place of ids, without the mention of the bot. */
function readable({ content, mentions }: Message, bot_id: string): string {
  const names = new Map(mentions.map((user) => [user.id, user.global_name ?? user.username]))
  return content
    .replace(/<@!?(\d{1,20})>/g, (written, id: string) => {
      if (id === bot_id) return ''
      const name = names.get(id)
      return name === undefined ? written : `@${name}`
    })
    .trim()
}
