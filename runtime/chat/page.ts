import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { beyondPage, findMessage, listMessages, listMessagesFrom } from './message-store.ts'
import type { Message } from './schema.ts'

interface Place {
  before?: string | undefined
  after?: string | undefined
  around?: string | undefined
  limit: number
}

export interface MessagePage {
  messages: Message[]
  has_older: boolean
  has_newer: boolean
}

/** A page of a conversation, oldest first, and whether it goes on in either direction. */
export async function readPage(context: Context, conversation: string, place: Place): Promise<MessagePage> {
  const messages = await messagesAt(context, conversation, place)
  return { messages, ...(await beyondPage(context, conversation, messages)) }
}

async function messagesAt(context: Context, conversation: string, place: Place): Promise<Message[]> {
  const { before, after, around, limit } = place
  if (after !== undefined) return listMessagesFrom(context, conversation, { from: behind(after), limit })
  if (around === undefined) return listMessages(context, conversation, { before, limit })
  const message = await findMessage(context, around)
  if (message?.conversation_id !== conversation) throw notFound(`The message ${around}`)
  const older = Math.floor((limit - 1) / 2)
  return [
    ...(older > 0 ? await listMessages(context, conversation, { before: around, limit: older }) : []),
    ...(await listMessagesFrom(context, conversation, { from: around, limit: limit - older })),
  ]
}

/** The least id that sorts behind another. */
const behind = (id: string) => `${id}\u0001`
