import { useEffect, useSyncExternalStore } from 'react'

const key = 'hearthd.read'
const maxMarks = 500

interface Marks {
  /** The newest message when this browser began to keep marks; null before. What is not newer counts as read. */
  since: string | null
  /** By conversation: the time of the last message that was on screen. */
  at: Record<string, string>
}

let marks: Marks | undefined
const listeners = new Set<() => void>()

function load(): Marks {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Marks | null
    if (typeof stored?.since === 'string' && stored.at) return stored
  } catch {
    // Not readable: begin again.
  }
  return { since: null, at: {} }
}

function store(next: Marks): Marks {
  marks = next
  localStorage.setItem(key, JSON.stringify(next))
  return next
}

const current = (): Marks => {
  marks ??= load()
  return marks
}

interface Readable {
  id: string
  last_message_at: string | null
}

function isUnread({ since, at }: Marks, { id, last_message_at }: Readable): boolean {
  return since !== null && last_message_at !== null && last_message_at > (at[id] ?? since)
}

/** Begins to keep marks in a browser that has none. The times are the daemon's: a browser's clock may differ. */
export function beginMarks(conversations: readonly Readable[]): void {
  if (current().since !== null) return
  const times = conversations.map(({ last_message_at }) => last_message_at ?? '')
  store({ since: times.sort().at(-1) ?? '', at: {} })
  for (const listener of listeners) listener()
}

function markRead({ id, last_message_at }: Readable): void {
  const { since, at } = current()
  if (last_message_at === null || !isUnread(current(), { id, last_message_at })) return
  const kept = Object.entries(at)
    .filter(([other]) => other !== id)
    .slice(1 - maxMarks)
  store({ since, at: { ...Object.fromEntries(kept), [id]: last_message_at } })
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a conversation has messages that were not on screen in this browser; the open one is read. */
export function useUnread(conversation: Readable, open: boolean): boolean {
  const unread = isUnread(useSyncExternalStore(subscribe, current), conversation)
  useEffect(() => {
    if (open && unread) markRead(conversation)
  }, [open, unread, conversation])
  return unread && !open
}
