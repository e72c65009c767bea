import { z } from 'zod'
import { iso, minute } from '../../time.ts'
import {
  type InboundFile,
  type InboundMessage,
  inboundMessage,
  type Peer,
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

/** https://docs.discord.com/developers/resources/message */
export const Message = z.object({
  id: Snowflake,
  type: z.number(),
  channel_id: Snowflake,
  guild_id: Snowflake.nullish(),
  author: User,
  webhook_id: z.string().nullish(),
  content: z.string().default(''),
  edited_timestamp: z.string().nullish(),
  mentions: z.array(User).default([]),
  attachments: z.array(Attachment).default([]),
  referenced_message: z.object({ author: User }).nullish().catch(null),
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
  const found = Interaction.safeParse(body).data
  const message = found && fromInteraction(found)
  if (!message) return { kind: 'accepted', messages: [] }
  return { kind: 'accepted', messages: [message], response: Response.json(acknowledgement(message)) }
}

/** Types of messages that people write: normal ones and replies. */
const messageTypes = [0, 19]
const threadTypes = [10, 11, 12]
const discordEpoch = 1_420_070_400_000

/** How long an interaction can be answered, in milliseconds; Discord allows 15 minutes. */
const tokenAge = 14 * minute

/** Null for interactions that are neither `/ask` nor a button, and for those of bots. */
export function fromInteraction(found: Interaction): InboundMessage | null {
  const user = found.member?.user ?? found.user
  const channel_id = found.channel?.id ?? found.channel_id
  const isButton = found.type === interactionTypes.component
  if (!user || user.bot || !channel_id || !(isButton || found.type === interactionTypes.command)) return null
  const { custom_id = '', options = [], resolved } = found.data ?? {}
  const text = options.find(({ name }) => name === 'message')?.value
  return inboundMessage({
    id: found.id,
    sender: senderOf(user),
    peer: peerOf(found.guild_id, channel_id, found.channel),
    text: typeof text === 'string' ? text : '',
    value: isButton ? custom_id : null,
    files: Object.values(resolved?.attachments ?? {}).map(toFile),
    sent_at: iso(timeOf(found.id)),
    // The answer to a button is a separate message: its interaction ended with the acknowledgement.
    reply: isButton ? {} : { token: found.token, expires_at: String(timeOf(found.id) + tokenAge) },
  })
}

/** The high bits of a snowflake are the milliseconds since 2015. */
const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + discordEpoch

function peerOf(
  guild_id: string | null | undefined,
  channel_id: string,
  place: Place | null | undefined,
): Peer {
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

const toFile = ({ filename, content_type, size, url }: z.output<typeof Attachment>): InboundFile => ({
  name: filename,
  mime_type: content_type ?? null,
  size_bytes: size,
  reference: { url },
})

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
export function fromMessage(found: Message, { bot_id, isEdit, place, now }: Source): InboundMessage | null {
  const { id, author, attachments, referenced_message: answered } = found
  const isWritten = !author.bot && !found.webhook_id && messageTypes.includes(found.type)
  const edited_at = found.edited_timestamp ?? ''
  // Discord also updates a message when it has loaded the preview of a link, and when somebody pins it.
  if (!isWritten || (isEdit && !isFresh({ sent_at: edited_at }, now))) return null
  const text = readable(found, bot_id)
  const isNamed = found.mentions.some((user) => user.id === bot_id)
  if (text === '' && attachments.length === 0 && !isNamed) return null
  return inboundMessage({
    // Discord repeats an edit with its time in microseconds or in milliseconds.
    id: isEdit ? `${id}:${iso(Date.parse(edited_at))}` : id,
    edits: isEdit ? id : null,
    sender: senderOf(author),
    peer: peerOf(found.guild_id, found.channel_id, place),
    text,
    is_mention: !found.guild_id || isNamed || answered?.author.id === bot_id,
    files: attachments.map(toFile),
    sent_at: iso(timeOf(id)),
    reply: { message_id: id },
  })
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
