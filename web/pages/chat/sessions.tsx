import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { Agent } from '../../../runtime/tools/agent.ts'
import type { Api } from '../../api/client.ts'
import { useApi, useServices } from '../../app/services.tsx'
import { useAgents } from '../../parts/agents.ts'
import { ChatSession } from './state/session.ts'
import { liveMessageId, type SessionView, sameStructure, type ThreadMessage } from './state/thread.ts'

/** Conversations kept in memory, so that returning to one is instant. */
const kept = 8
/** Milliseconds between updates while the tab is hidden. */
const hiddenFrame = 500

/** The open conversations of this page. */
export class SessionCache {
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

  delete(id: string): void {
    this.#sessions.get(id)?.close()
    this.#sessions.delete(id)
  }
}

/** A hidden tab renders no frames, but what arrives must not pile up. */
function frame(render: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(render, hiddenFrame)
  else requestAnimationFrame(render)
}

/** The wait also ends when the network returns. */
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

const SessionsContext = createContext<SessionCache | null>(null)

export function SessionsProvider({ children }: { children: ReactNode }) {
  const api = useApi()
  const [sessions] = useState(() => new SessionCache(api))
  return <SessionsContext value={sessions}>{children}</SessionsContext>
}

export function useSessions(): SessionCache {
  const sessions = use(SessionsContext)
  if (!sessions) throw new Error('SessionsProvider is missing')
  return sessions
}

/** The conversation `id`, open and followed while the component is mounted. */
export function useOpenSession(id: string): ChatSession {
  const session = useSessions().get(id)
  const { bus } = useServices()
  useEffect(() => {
    void session.open()
    const leave = bus.listen(
      ['conversation.', 'message.', 'approval.', 'agent.run.'],
      ({ type, data }) =>
        (type === 'resync' || ('conversation_id' in data && data.conversation_id === session.id)) &&
        void session.changedElsewhere(),
    )
    return () => {
      leave()
      session.close()
    }
  }, [session, bus])
  return session
}

/** Part of the view of a session; `select` must return the same object while nothing in it changes. */
export function useView<Part>(session: ChatSession, select: (view: SessionView) => Part): Part {
  return useSyncExternalStore(session.subscribe, () => select(session.view()))
}

/** The messages; the list stays the same object while an answer only grows. */
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

/** The current state of a message. A complete one does not change, so it is not subscribed to. */
export function useLiveItem(session: ChatSession, item: ThreadMessage): ThreadMessage {
  const live = item.message.status === 'streaming'
  return useSyncExternalStore(live ? session.subscribe : never, () => {
    if (!live) return item
    return session.view().thread.messages.findLast(({ message }) => message.id === item.message.id) ?? item
  })
}

const unknown: Pick<Agent, 'name' | 'avatar'> = { name: 'Agent', avatar: null }

/** The agent that answers in the conversation on screen. */
export const AgentContext = createContext(unknown)

export function useConversationAgent(session: ChatSession): Pick<Agent, 'name' | 'avatar'> {
  const id = useView(session, ({ thread }) => thread.conversation?.agent_id)
  return useAgents().find((agent) => agent.id === id) ?? unknown
}
