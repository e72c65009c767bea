import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { Api } from '../../api/client.ts'
import { useApi, useServices } from '../../app/services.tsx'
import { ChatSession } from './state/session.ts'
import { sameStructure } from './state/structure.ts'
import { liveMessageId, type ThreadMessage } from './state/thread.ts'
import type { SessionView } from './state/view.ts'

/** Conversations that stay in memory, so that going back to one shows it at once. */
const kept = 8
/** Milliseconds between pictures while nobody looks at the tab. */
const hiddenFrame = 500

/** The open conversations of this page. */
export class SessionShelf {
  readonly #api: Api
  readonly #sessions = new Map<string, ChatSession>()

  constructor(api: Api) {
    this.#api = api
  }

  get(id: string): ChatSession {
    const session = this.#sessions.get(id) ?? new ChatSession(id, { api: this.#api, frame, pause })
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    for (const old of [...this.#sessions.keys()].slice(0, -kept)) this.#sessions.delete(old)
    return session
  }

  forget(id: string): void {
    this.#sessions.get(id)?.close()
    this.#sessions.delete(id)
  }
}

/** A hidden tab draws no frames, but what arrives must not pile up. */
function frame(draw: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(draw, hiddenFrame)
  else requestAnimationFrame(draw)
}

/** Also ends when the network is back or the person looks again. */
function pause(time: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, time)
  const over = new AbortController()
  const until = { once: true, signal: over.signal }
  signal.addEventListener('abort', () => resolve(), until)
  addEventListener('online', () => resolve(), until)
  return promise.finally(() => {
    clearTimeout(timer)
    over.abort()
  })
}

const ShelfContext = createContext<SessionShelf | null>(null)

export function SessionsProvider({ children }: { children: ReactNode }) {
  const api = useApi()
  const [shelf] = useState(() => new SessionShelf(api))
  return <ShelfContext value={shelf}>{children}</ShelfContext>
}

export function useShelf(): SessionShelf {
  const shelf = use(ShelfContext)
  if (!shelf) throw new Error('SessionsProvider is missing')
  return shelf
}

/** The conversation `id`, open and following while the component lives. */
export function useOpenSession(id: string): ChatSession {
  const session = useShelf().get(id)
  const { bus } = useServices()
  useEffect(() => {
    void session.open()
    const about = ['conversation.', 'message.', 'approval.', 'agent.run.']
    const leave = bus.listen(about, ({ type, data }) => {
      if (type === 'resync' || data.conversation_id === session.id) void session.hear()
    })
    return () => {
      leave()
      session.close()
    }
  }, [session, bus])
  return session
}

/** Part of what a session shows; `select` has to give the same object while nothing in it changes. */
export function useView<Part>(session: ChatSession, select: (view: SessionView) => Part): Part {
  return useSyncExternalStore(session.subscribe, () => select(session.view()))
}

/** The messages, as a list that is the same while an answer only grows. */
export function useRows(session: ChatSession): readonly ThreadMessage[] {
  const [select] = useState(() => steadyRows())
  return useView(session, (view) => select(view))
}

function steadyRows() {
  let rows: readonly ThreadMessage[] = []
  return ({ thread }: SessionView) => {
    if (!sameStructure(rows, thread.messages, liveMessageId(thread))) rows = thread.messages
    return rows
  }
}

const never = () => () => undefined

/** The message as it is now: one that is complete is not looked at again. */
export function useLiveItem(session: ChatSession, item: ThreadMessage): ThreadMessage {
  const live = item.message.status === 'streaming'
  return useSyncExternalStore(live ? session.subscribe : never, () => {
    if (!live) return item
    return session.view().thread.messages.findLast(({ message }) => message.id === item.message.id) ?? item
  })
}
