import type { z } from 'zod'
import type { NewConversation } from '../../runtime/chat/schema.ts'
import { ApiError, readable, worthRetrying } from '../api/error.ts'
import { announceError } from '../parts/announce.ts'
import type { Services } from './services.tsx'

/** A message that was sent while the daemon could not be reached. `id` is its idempotency key. */
export interface Waiting {
  id: string
  /** Null for a new conversation with these settings. */
  conversation: string | null
  settings?: z.input<typeof NewConversation>
  text: string
  files: readonly string[]
  /** Who wrote it: nobody else sends it from this browser. */
  user?: string | undefined
  /** Why the daemon does not accept it. It is not sent again. */
  refused?: string
}

export const outboxKey = 'hearthd.outbox'
const listeners = new Set<() => void>()

export const stored = (): string => localStorage.getItem(outboxKey) ?? '[]'

export const waitingIn = (text: string): Waiting[] => JSON.parse(text) as Waiting[]

export function watchOutbox(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

function change(of: (waiting: Waiting[]) => Waiting[]): void {
  const next = of(waitingIn(stored()))
  if (next.length === 0) localStorage.removeItem(outboxKey)
  else localStorage.setItem(outboxKey, JSON.stringify(next))
  for (const listener of listeners) listener()
}

/** Keeps a message until the daemon answers. Throws if the browser has no room for it. */
export const sendLater = (message: Omit<Waiting, 'id'>): void =>
  change((waiting) => [...waiting, { ...message, id: `local_${crypto.randomUUID()}` }])

const refuse = (id: string, refused: string): void =>
  change((waiting) => waiting.map((one) => (one.id === id ? { ...one, refused } : one)))

export const discard = (id: string): void => change((waiting) => waiting.filter((one) => one.id !== id))

/** Sends the person's messages, each once however many tabs try. Calls `sent` with the conversation of each. */
export async function sendWaiting(services: Services, sent: (id: string, message: Waiting) => void): Promise<void> {
  const run = () => sendAll(services, sent)
  // Missing without https; then the daemon itself refuses the repeat.
  await (navigator.locks?.request(outboxKey, run) ?? run())
}

async function sendAll({ api, session }: Services, sent: (id: string, message: Waiting) => void): Promise<void> {
  for (const message of waitingIn(stored())) {
    if (message.refused || message.user !== session.get()?.user_id) continue
    try {
      const id = await send(api, message)
      discard(message.id)
      sent(id, message)
    } catch (error) {
      // Down again, signed out, or another tab is sending it.
      if (error instanceof ApiError && [0, 401, 409, 503].includes(error.status)) return
      announceError(error)
      if (!worthRetrying(error)) refuse(message.id, readable(error))
    }
  }
}

async function send(api: Services['api'], { id, conversation, settings, text, files }: Waiting): Promise<string> {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const conversation_id =
    conversation ?? (await api.post('/api/chat/conversations', { body: settings ?? {}, ...keyed(`${id}.new`) })).id
  const body = { message: text, conversation_id, when_busy: 'queue' as const, attachments: [...files] }
  const answer = await api.open('POST', '/api/chat/messages/stream', { body, ...keyed(id) })
  await answer.body?.cancel()
  return conversation_id
}
