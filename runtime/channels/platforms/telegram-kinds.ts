import { z } from 'zod'
import { type Quote, quoteOf } from '../platform.ts'

export const User = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
})
type User = z.output<typeof User>

export const nameOf = ({ first_name, last_name, username }: User): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (username ?? '')

export const senderOf = (user: User) => ({ id: String(user.id), name: nameOf(user) || null })

const Location = z.object({ latitude: z.number(), longitude: z.number() })
const Named = z.object({ title: z.string().optional(), username: z.string().optional() })

/** https://core.telegram.org/bots/api#messageorigin */
const Origin = z.object({
  sender_user: User.optional(),
  sender_user_name: z.string().optional(),
  sender_chat: Named.optional(),
  chat: Named.optional(),
})

/** What a message can consist of besides text and files. */
export const sharedFields = {
  quote: z.object({ text: z.string() }).optional(),
  forward_origin: Origin.optional(),
  sticker: z.object({ emoji: z.string().optional() }).optional(),
  dice: z.object({ emoji: z.string(), value: z.number() }).optional(),
  location: Location.optional(),
  venue: z.object({ title: z.string(), address: z.string() }).optional(),
  contact: z.object({ phone_number: z.string(), first_name: z.string(), last_name: z.string().optional() }).optional(),
  poll: z.object({ question: z.string(), options: z.array(z.object({ text: z.string() })) }).optional(),
}
const Shared = z.object(sharedFields)

export const Replied = z.object({
  message_id: z.number(),
  from: User.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  ...sharedFields,
})

interface Content extends z.output<typeof Shared> {
  from?: User | undefined
  text?: string | undefined
  caption?: string | undefined
  reply_to_message?: z.output<typeof Replied> | undefined
}

/** Stickers, dice and places as text; they hold nothing that somebody else wrote. */
export function signsIn({ sticker, dice, location }: z.output<typeof Shared>): string {
  if (sticker) return `[sticker ${sticker.emoji ?? 'without an emoji'}]`
  if (dice) return `[${dice.emoji} ${dice.value}]`
  return location ? `[location ${location.latitude}, ${location.longitude}]` : ''
}

/** Contacts, venues and polls as text: names that somebody else may have written. */
function sharedIn({ contact, venue, poll }: z.output<typeof Shared>): string {
  if (contact) {
    const { first_name, last_name, phone_number } = contact
    return `Contact: ${[first_name, last_name].filter(Boolean).join(' ')}, ${phone_number}`
  }
  if (venue) return `Place: ${venue.title}, ${venue.address}`
  if (!poll) return ''
  return [`Poll: ${poll.question}`, ...poll.options.map(({ text }) => `- ${text}`)].join('\n')
}

const wordsIn = (content: Content): string => content.text ?? content.caption ?? (sharedIn(content) || signsIn(content))

/** What a message has of others. */
export function quotesOf(message: Content): Quote[] {
  const { from, reply_to_message: replied, forward_origin: origin, quote } = message
  const shared = sharedIn(message)
  const quotes: Quote[] = []
  if (replied) {
    const is_own = replied.from?.id === from?.id && !replied.forward_origin && sharedIn(replied) === ''
    const author = replied.forward_origin ? authorOf(replied.forward_origin) : replied.from && nameOf(replied.from)
    quotes.push({ ...quoteOf('reply', quote?.text ?? wordsIn(replied), author || null), is_own })
  }
  if (origin) quotes.push(quoteOf('forward', wordsIn(message), authorOf(origin)))
  else if (shared !== '') quotes.push(quoteOf('shared', shared))
  return quotes
}

function authorOf({ sender_user, sender_user_name, sender_chat, chat }: z.output<typeof Origin>): string | null {
  const place = chat ?? sender_chat
  const name = sender_user ? nameOf(sender_user) : (sender_user_name ?? place?.title ?? place?.username)
  return name || null
}
