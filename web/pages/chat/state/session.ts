import type { Approval, Conversation, Message } from '../../../../runtime/chat/schema.ts'
import type { Api } from '../../../api/client.ts'
import { ApiError } from '../../../api/error.ts'
import { applyEvent } from './apply-event.ts'
import { type ChatEvent, chatEvent } from './chat-event.ts'
import { readStream } from './read-stream.ts'
import {
  cutFrom,
  pageSize,
  withOlder,
  withOutgoing,
  withoutMessage,
  withPending,
  withStored,
} from './stored.ts'
import { emptyThread, isBusy, type Thread } from './thread.ts'

/** What one page shows of a conversation. A new object whenever anything in it has changed. */
export interface SessionView {
  thread: Thread
  loaded: boolean
  /** Why it could not be read, or could not be read afresh. */
  error: unknown
  /** `lost` while a stream was cut and is sought again. */
  link: 'none' | 'live' | 'lost'
  loading_older: boolean
}

export interface SessionParts {
  api: Pick<Api, 'get' | 'post' | 'raw'>
  /** Runs `draw` with the next picture of the screen. */
  frame(draw: () => void): void
  /** Milliseconds. */
  pause(time: number, signal: AbortSignal): Promise<void>
}

export interface ApprovalAnswer {
  approval_id: string
  approved: boolean
  remember?: boolean
  reason?: string
  edited_input?: Record<string, unknown>
}

export type WhenBusy = 'queue' | 'steer' | 'interrupt'

const firstPause = 300
const longestPause = 8_000

let lastKey = 0
/** Keys must not meet those of another tab, for they also name the request to the daemon. */
const newKey = () => `local_${crypto.randomUUID()}_${++lastKey}`

/**
 * One open conversation: what is stored, what is streamed now, and what a person does to it. It follows the running
 * turn, wherever it was started, until `close`, through lost connections and restarts of the daemon.
 */
export class ChatSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #listeners = new Set<() => void>()
  #view: SessionView = { thread: emptyThread, loaded: false, error: null, link: 'none', loading_older: false }
  #events: ChatEvent[] = []
  #drawing = false
  #open: AbortController | null = null
  #following = false
  #lastEnd = ''
  #unsent: { text: string; key: string } | null = null

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
  }

  readonly view = (): SessionView => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads what is stored and follows what is running. Until `close`. */
  async open(): Promise<void> {
    this.#open ??= new AbortController()
    if (await this.refresh()) this.#followIfBusy()
  }

  /** Leaves the stream; the turn itself goes on. */
  close(): void {
    this.#open?.abort()
    this.#open = null
  }

  /** Reads the conversation and its latest messages afresh. False when that failed. */
  async refresh(): Promise<boolean> {
    try {
      const path = `/api/chat/conversations/${this.id}`
      const { messages, ...conversation } = await this.#parts.api.get<Conversation & { messages: Message[] }>(
        path,
      )
      this.#flush()
      this.#change({
        thread: withStored(this.#view.thread, conversation, messages),
        loaded: true,
        error: null,
      })
      if (conversation.status === 'waiting_approval') await this.#readApprovals()
      return true
    } catch (error) {
      this.#change({ error })
      return false
    }
  }

  /** Something happened to this conversation elsewhere. */
  async hear(): Promise<void> {
    if (!this.#open || this.#following) return
    if (await this.refresh()) this.#followIfBusy()
  }

  async send(text: string, options: { when_busy?: WhenBusy; model?: string } = {}): Promise<void> {
    const busy = isBusy(this.#view.thread)
    // The same text again after a failure is the same request: the daemon stores it once.
    const key = this.#unsent?.text === text ? this.#unsent.key : newKey()
    this.#thread((thread) => withOutgoing(thread, { key, text, queued: busy }))
    try {
      const body = {
        message: text,
        conversation_id: this.id,
        when_busy: options.when_busy ?? 'queue',
        ...(options.model && { model: options.model }),
      }
      const response = await this.#stream('POST', '/api/chat/messages/stream', {
        body,
        headers: { 'idempotency-key': key },
      })
      this.#unsent = null
      await this.#begin(response)
    } catch (error) {
      this.#unsent = { text, key }
      this.#thread((thread) => withoutMessage(thread, key))
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.#parts.api.post(`/api/chat/conversations/${this.id}/stop`)
    if (!this.#following) await this.refresh()
  }

  /** Answers the last question anew. */
  async regenerate(): Promise<void> {
    const last = this.#view.thread.messages.at(-1)?.message
    const response = await this.#stream('POST', `/api/chat/conversations/${this.id}/regenerate`)
    if (last?.role === 'assistant') this.#thread((thread) => cutFrom(thread, last.id))
    await this.#begin(response)
  }

  /** Takes back a message of the person, and everything after it, and sends `text` in its place. */
  async resend(messageId: string, text: string): Promise<void> {
    const { messages } = this.#view.thread
    const before = messages[messages.findIndex(({ message }) => message.id === messageId) - 1]
    const place = before ? { after_message_id: before.message.id } : { keep_last: 0 }
    await this.#parts.api.post('/api/chat/messages/truncate', { conversation_id: this.id, ...place })
    this.#thread((thread) => cutFrom(thread, messageId))
    await this.send(text)
  }

  async answer(answer: ApprovalAnswer): Promise<void> {
    await this.#parts.api.post(`/api/chat/conversations/${this.id}/approval-response`, answer)
    if (!this.#following) await this.hear()
  }

  async loadOlder(): Promise<void> {
    const { thread, loading_older } = this.#view
    const first = thread.messages[0]
    if (!first || !thread.has_older || loading_older) return
    this.#change({ loading_older: true })
    try {
      const path = `/api/chat/conversations/${this.id}/messages`
      const query = { before: first.message.id, limit: pageSize }
      const { messages } = await this.#parts.api.get<{ messages: Message[] }>(path, query)
      this.#thread((current) => withOlder(current, messages))
    } finally {
      this.#change({ loading_older: false })
    }
  }

  /** A change that the daemon has confirmed. */
  changed(changes: Partial<Conversation>): void {
    this.#thread((thread) => ({
      ...thread,
      conversation: thread.conversation && { ...thread.conversation, ...changes },
    }))
  }

  async #readApprovals(): Promise<void> {
    const { approvals } = await this.#parts.api.get<{ approvals: Approval[] }>('/api/chat/approvals', {
      status: 'pending',
      limit: 200,
    })
    this.#thread((thread) => withPending(thread, approvals))
  }

  #stream(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) {
    this.#open ??= new AbortController()
    return this.#parts.api.raw(method, path, { ...options, signal: this.#open.signal })
  }

  /** Reads the answer to a request that may start a turn, unless another one is being read already. */
  async #begin(response: Response): Promise<void> {
    const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (streams && !this.#following) return void this.#follow(response)
    await response.body?.cancel()
    if (await this.refresh()) this.#followIfBusy()
  }

  #followIfBusy(): void {
    if (!this.#following && this.#open && isBusy(this.#view.thread)) void this.#follow()
  }

  /** Follows turn after turn until none is left. */
  async #follow(first?: Response): Promise<void> {
    const open = this.#open
    if (this.#following || !open) return
    this.#following = true
    let pause = firstPause
    let response = first
    while (!open.signal.aborted) {
      const outcome = await this.#read(response)
      response = undefined
      if (open.signal.aborted) break
      if (outcome !== 'nothing') pause = firstPause
      const fresh = await this.refresh()
      if (fresh && !isBusy(this.#view.thread)) break
      if (outcome === 'ended' && fresh) continue
      this.#change({ link: 'lost' })
      await this.#parts.pause(pause, open.signal)
      pause = Math.min(pause * 2, longestPause)
    }
    this.#following = false
    this.#change({ link: 'none' })
    this.#followIfBusy()
  }

  /** Applies a stream's events, and says whether it ended a turn, was cut after some events, or brought none. */
  async #read(response: Response | undefined): Promise<'ended' | 'cut' | 'nothing'> {
    let outcome: 'ended' | 'cut' | 'nothing' = 'nothing'
    try {
      const { body } = response ?? (await this.#attach())
      if (!body) this.#thread((thread) => ({ ...thread, turn: null }))
      else this.#change({ link: 'live' })
      for await (const batch of body ? readStream(body) : []) {
        for (const event of batch.map(chatEvent)) {
          if (!event) continue
          const ends = event.event === 'done' || event.event === 'error'
          // A last word that is told again is no news, so it must not be asked for at once again.
          outcome = ends && this.#lastEnd !== event.id ? 'ended' : outcome === 'ended' ? 'ended' : 'cut'
          if (ends) this.#lastEnd = event.id
          this.#events.push(event)
        }
        this.#draw()
      }
    } catch (error) {
      if (error instanceof ApiError && !error.offline) this.#change({ error })
    } finally {
      this.#flush()
    }
    return outcome
  }

  #attach(): Promise<Response> {
    const cursor = this.#view.thread.turn?.cursor
    const headers: Record<string, string> = cursor ? { 'last-event-id': cursor } : {}
    return this.#stream('GET', `/api/chat/sessions/${this.id}/stream`, { headers })
  }

  #draw(): void {
    if (this.#drawing) return
    this.#drawing = true
    this.#parts.frame(() => {
      this.#drawing = false
      this.#flush()
    })
  }

  #flush(): void {
    const events = this.#events
    if (events.length === 0) return
    this.#events = []
    this.#thread((thread) => events.reduce(applyEvent, thread))
  }

  #thread(change: (thread: Thread) => Thread): void {
    this.#change({ thread: change(this.#view.thread) })
  }

  #change(changes: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...changes }
    for (const listener of this.#listeners) listener()
  }
}
