import type { Approval, Conversation, Message } from '../../../../runtime/chat/schema.ts'
import type { ApprovalAnswer } from '../../../api/chat.ts'
import type { Api } from '../../../api/client.ts'
import { ApiError } from '../../../api/error.ts'
import { applyEvent } from './apply-event.ts'
import { Follower } from './follower.ts'
import { Outbox } from './outbox.ts'
import { Pages } from './pages.ts'
import { presentFiles, type SendOptions } from './sent-files.ts'
import { cutFrom, withOutgoing, withoutMessage, withPending, withStored, withStretch } from './stored.ts'
import { isBusy, type Thread } from './thread.ts'
import { emptyView, type SessionView } from './view.ts'

export interface SessionParts {
  api: Pick<Api, 'get' | 'post' | 'raw'>
  /** Runs `draw` with the next picture of the screen. */
  frame(draw: () => void): void
  /** Milliseconds. */
  pause(time: number, signal: AbortSignal): Promise<void>
}

export type WhenBusy = 'queue' | 'steer' | 'interrupt'

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404

/**
 * One open conversation: what is stored, what is streamed now, and what a person does to it. It follows the running
 * turn, wherever it was started, until `close`, through lost connections and restarts of the daemon.
 */
export class ChatSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #listeners = new Set<() => void>()
  readonly #pages: Pages
  #view: SessionView = emptyView
  readonly #follower: Follower
  readonly #outbox: Outbox
  #open: AbortController | null = null

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
    this.#outbox = new Outbox(id, parts.api)
    this.#pages = new Pages(id, {
      api: parts.api,
      view: this.view,
      change: (changes) => this.#change(changes),
    })
    this.#follower = new Follower({
      attach: (signal) => this.#attach(signal),
      refresh: () => this.refresh(),
      runs: () => isBusy(this.#view.thread) && !isGone(this.#view.error),
      apply: (events) => this.#thread((thread) => events.reduce(applyEvent, thread)),
      nothingRuns: () => this.#thread((thread) => ({ ...thread, turn: null })),
      link: (link) => this.#change({ link }),
      failed: (error) => error instanceof ApiError && !error.offline && this.#change({ error }),
      frame: parts.frame,
      pause: parts.pause,
    })
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

  /** Shows an old message with what is around it. What happens now is followed again from `toLatest` on. */
  async openAt(message: string): Promise<void> {
    if (this.#view.thread.messages.some((item) => item.message.id === message)) return
    const page = await this.#pages.around(message)
    this.close()
    this.#open = new AbortController()
    this.#thread((thread) => withStretch(thread, page))
    if (!page.has_newer) await this.open()
  }

  /** Leaves old messages for the latest ones. */
  async toLatest(): Promise<void> {
    if (!this.#view.thread.has_newer) return
    const page = await this.#pages.latest()
    this.#thread((thread) => withStretch(thread, page))
    await this.open()
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
      this.#follower.flush()
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
    if (!this.#open || this.#follower.active) return
    if (await this.refresh()) this.#followIfBusy()
  }

  async send(text: string, options: SendOptions = {}): Promise<void> {
    this.#open ??= new AbortController()
    await this.toLatest()
    const busy = isBusy(this.#view.thread)
    const { files = [] } = options
    const key = this.#outbox.keyOf(text, options)
    this.#thread((thread) => withOutgoing(thread, { key, text, queued: busy, files }))
    try {
      await this.#begin(await this.#outbox.send(key, text, options))
    } catch (error) {
      this.#thread((thread) => withoutMessage(thread, key))
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.#parts.api.post(`/api/chat/conversations/${this.id}/stop`)
    if (!this.#follower.active) await this.refresh()
  }

  /** Answers the last question anew. */
  async regenerate(): Promise<void> {
    const last = this.#view.thread.messages.at(-1)?.message
    const response = await this.#parts.api.raw('POST', `/api/chat/conversations/${this.id}/regenerate`)
    if (last?.role === 'assistant') this.#thread((thread) => cutFrom(thread, last.id))
    await this.#begin(response)
  }

  /** Sends `text` in the place of a message of the person; that and everything after it go when the daemon has it. */
  async resend(messageId: string, text: string): Promise<void> {
    this.#open ??= new AbortController()
    const asked = this.#view.thread.messages.find(({ message }) => message.id === messageId)?.message
    const options = { files: await presentFiles(this.#parts.api, asked), replaces: messageId }
    const key = this.#outbox.keyOf(text, options)
    const response = await this.#outbox.send(key, text, options)
    this.#thread((thread) =>
      withOutgoing(cutFrom(thread, messageId), { key, text, queued: false, files: options.files }),
    )
    await this.#begin(response)
  }

  async answer(answer: ApprovalAnswer): Promise<void> {
    await this.#parts.api.post(`/api/chat/conversations/${this.id}/approval-response`, answer)
    if (!this.#follower.active) await this.hear()
  }

  loadOlder(): Promise<void> {
    return this.#pages.older()
  }

  /** Once the latest is reached, what happens now is followed again. */
  async loadNewer(): Promise<void> {
    await this.#pages.newer()
    if (!this.#view.thread.has_newer) await this.open()
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

  /** Follows the answer to a request that may start a turn, unless another one is being followed already. */
  async #begin(response: Response): Promise<void> {
    const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (streams && this.#open && !this.#follower.active) return this.#follow(response)
    await response.body?.cancel()
    if (this.#open && (await this.refresh())) this.#followIfBusy()
  }

  #followIfBusy(): void {
    if (isBusy(this.#view.thread) && !this.#view.thread.has_newer) this.#follow()
  }

  #follow(response?: Response): void {
    const open = this.#open
    if (!open || this.#follower.active) return
    // Whoever has left and come back in the meantime has another signal.
    void this.#follower.follow(open.signal, response).then(() => open !== this.#open && this.#followIfBusy())
  }

  #attach(signal: AbortSignal): Promise<Response> {
    const cursor = this.#view.thread.turn?.cursor
    const headers: Record<string, string> = cursor ? { 'last-event-id': cursor } : {}
    return this.#parts.api.raw('GET', `/api/chat/sessions/${this.id}/stream`, { headers, signal })
  }

  #thread(change: (thread: Thread) => Thread): void {
    this.#change({ thread: change(this.#view.thread) })
  }

  #change(changes: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...changes }
    for (const listener of this.#listeners) listener()
  }
}
