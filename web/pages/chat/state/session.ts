import type { Conversation, FilePart } from '../../../../runtime/chat/schema.ts'
import type { ApprovalAnswer } from '../../../api/chat.ts'
import type { Api } from '../../../api/client.ts'
import { ApiError } from '../../../api/error.ts'
import { applyEvent } from './apply-event.ts'
import { Follower } from './follower.ts'
import { offlineModel } from './labels.ts'
import {
  cutFrom,
  type MessagePage,
  pageSize,
  withNewer,
  withOlder,
  withOutgoing,
  withoutMessage,
  withPending,
  withStored,
  withStretch,
} from './stored.ts'
import { emptyView, filesOf, isBusy, type SessionView, type Thread, type ThreadMessage } from './thread.ts'

export interface SessionParts {
  api: Pick<Api, 'get' | 'post' | 'put' | 'open'>
  /** Calls `render` in the next animation frame. */
  frame(render: () => void): void
  /** Milliseconds. */
  pause(time: number, signal: AbortSignal): Promise<void>
}

export type WhenBusy = 'queue' | 'steer' | 'interrupt'

export interface SendOptions {
  when_busy?: WhenBusy
  files?: readonly FilePart[]
  /** The id of a message that this one replaces. */
  replaces?: string
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

/**
 * One open conversation: its stored messages, the streaming answer, and the actions of the person. It follows
 * the running turn, wherever that was started, until `close`, through lost connections and restarts of the
 * daemon.
 */
export class ChatSession {
  readonly id: string
  readonly #parts: SessionParts
  readonly #listeners = new Set<() => void>()
  readonly #follower: Follower
  #view: SessionView = emptyView
  readonly #loading = new Set<'older' | 'newer'>()
  #open: AbortController | null = null
  #unsent: { fingerprint: string; key: string } | null = null

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
    this.#follower = new Follower({
      attach: (signal) => this.#attach(signal),
      refresh: () => this.refresh(),
      runs: () => isBusy(this.#view.thread) && !isMissing(this.#view.error),
      apply: (events) => this.#changeThread((thread) => events.reduce(applyEvent, thread)),
      nothingRuns: () => this.#changeThread((thread) => ({ ...thread, turn: null })),
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

  /** Loads what is stored and follows the running turn until `close`. */
  async open(): Promise<void> {
    this.#open ??= new AbortController()
    if (await this.refresh()) this.#followIfBusy()
  }

  /** Shows an old message with those around it. The running turn is followed again after `toLatest`. */
  async openAt(message: string): Promise<void> {
    if (this.#view.thread.messages.some((item) => item.message.id === message)) return
    const page = await this.#readPage({ around: message })
    this.#unfollow()
    this.#changeThread((thread) => withStretch(thread, page))
    if (!page.has_newer) await this.open()
  }

  /** Replaces old messages with the latest ones. */
  async toLatest(): Promise<void> {
    if (!this.#view.thread.has_newer) return
    const page = await this.#readPage({})
    this.#changeThread((thread) => withStretch(thread, page))
    await this.open()
  }

  /** Stops following the turn, which continues on the daemon. */
  close(): void {
    this.#open?.abort()
    this.#open = null
  }

  /** Loads the conversation and its latest messages again. False when that failed. */
  async refresh(): Promise<boolean> {
    try {
      const { messages, ...conversation } = await this.#parts.api.get('/api/chat/conversations/{id}', {
        params: { id: this.id },
      })
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

  /** Called when an event of the bus concerns this conversation. */
  async changedElsewhere(): Promise<void> {
    if (!this.#open || this.#follower.active) return
    if (await this.refresh()) this.#followIfBusy()
  }

  async send(text: string, options: SendOptions = {}): Promise<void> {
    this.#open ??= new AbortController()
    await this.toLatest()
    const queued = isBusy(this.#view.thread)
    const key = this.#keyOf(text, options)
    this.#changeThread((thread) => withOutgoing(thread, { key, text, queued, files: options.files ?? [] }))
    try {
      await this.#begin(await this.#post(key, text, options))
    } catch (error) {
      this.#changeThread((thread) => withoutMessage(thread, key))
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.#parts.api.post('/api/chat/conversations/{id}/stop', { params: { id: this.id } })
    if (!this.#follower.active) await this.refresh()
  }

  /** Answers the last question again. */
  async regenerate(): Promise<void> {
    const last = this.#view.thread.messages.at(-1)?.message
    const response = await this.#parts.api.open('POST', '/api/chat/conversations/{id}/regenerate', {
      params: { id: this.id },
    })
    if (last?.role === 'assistant') this.#changeThread((thread) => cutFrom(thread, last.id))
    await this.#begin(response)
  }

  /** Answers the last question again with the offline model, which the conversation keeps. */
  async answerOffline(): Promise<void> {
    const body = { model: offlineModel }
    await this.#parts.api.put('/api/chat/conversations/{id}', { params: { id: this.id }, body })
    this.changed(body)
    await this.regenerate()
  }

  /**
   * Replaces a message of the person with `text`. The later messages disappear once the daemon has stored it.
   */
  async resend(messageId: string, text: string): Promise<void> {
    this.#open ??= new AbortController()
    const replaced = this.#view.thread.messages.find(({ message }) => message.id === messageId)?.message
    const files = await this.#existing(filesOf(replaced))
    const options = { files, replaces: messageId }
    const key = this.#keyOf(text, options)
    const response = await this.#post(key, text, options)
    this.#changeThread((thread) => withOutgoing(cutFrom(thread, messageId), { key, text, queued: false, files }))
    await this.#begin(response)
  }

  async answer(answer: ApprovalAnswer): Promise<void> {
    await this.#parts.api.post('/api/chat/conversations/{id}/approval-response', {
      params: { id: this.id },
      body: answer,
    })
    if (!this.#follower.active) await this.changedElsewhere()
  }

  loadOlder(): Promise<void> {
    const { messages, has_older } = this.#view.thread
    return this.#loadMore('older', has_older ? messages[0] : undefined)
  }

  /** Follows the running turn again once the latest message is reached. */
  async loadNewer(): Promise<void> {
    const { messages, has_newer } = this.#view.thread
    await this.#loadMore('newer', has_newer ? messages.at(-1) : undefined)
    if (has_newer && !this.#view.thread.has_newer) await this.open()
  }

  /** Adds the page next to the message at one end. */
  async #loadMore(side: 'older' | 'newer', edge: ThreadMessage | undefined): Promise<void> {
    if (!edge || this.#loading.has(side)) return
    this.#loading.add(side)
    const { id } = edge.message
    try {
      const page = await this.#readPage(side === 'older' ? { before: id } : { after: id })
      const { messages } = this.#view.thread
      if (messages.at(side === 'older' ? 0 : -1) !== edge) return
      this.#changeThread((now) => (side === 'older' ? withOlder(now, page) : withNewer(now, page)))
      if (side === 'older' && this.#view.thread.has_newer) this.#unfollow()
    } finally {
      this.#loading.delete(side)
    }
  }

  /** Applies changes of the person to the conversation shown. */
  changed(changes: Partial<Conversation>): void {
    this.#changeThread((thread) => ({
      ...thread,
      conversation: thread.conversation && { ...thread.conversation, ...changes },
    }))
  }

  /** The same message after a failure is the same request, which the daemon stores once. */
  #keyOf(text: string, options: SendOptions): string {
    if (this.#unsent?.fingerprint === fingerprintOf(text, options)) return this.#unsent.key
    return `local_${crypto.randomUUID()}`
  }

  /** Resolves with the stream of the answer once the daemon has stored the message. */
  async #post(key: string, text: string, options: SendOptions): Promise<Response> {
    const { when_busy = 'queue', files = [], replaces } = options
    try {
      const response = await this.#parts.api.open('POST', '/api/chat/messages/stream', {
        body: {
          message: text,
          conversation_id: this.id,
          when_busy,
          ...(files.length > 0 && { attachments: files.map(({ file_id }) => file_id) }),
          ...(replaces && { replaces }),
        },
        headers: { 'idempotency-key': key },
      })
      this.#unsent = null
      return response
    } catch (error) {
      this.#unsent = { fingerprint: fingerprintOf(text, options), key }
      throw error
    }
  }

  /** The files that were not deleted: others cannot be sent again. */
  async #existing(files: FilePart[]): Promise<FilePart[]> {
    const existing = files.map(async (file) => {
      const stored = this.#parts.api.get('/api/files/{id}', { params: { id: file.file_id } })
      return stored.then(
        () => [file],
        (error: unknown) => (isMissing(error) ? [] : Promise.reject(error)),
      )
    })
    return (await Promise.all(existing)).flat()
  }

  #readPage(place: { around?: string; before?: string; after?: string }): Promise<MessagePage> {
    return this.#parts.api.get('/api/chat/conversations/{id}/messages', {
      params: { id: this.id },
      query: { ...place, limit: pageSize },
    })
  }

  async #readApprovals(): Promise<void> {
    const query = { status: 'pending', limit: 200 } as const
    const { approvals } = await this.#parts.api.get('/api/chat/approvals', { query })
    this.#changeThread((thread) => withPending(thread, approvals))
  }

  /** Follows the answer to a request that may start a turn, unless a turn is already followed. */
  async #begin(response: Response): Promise<void> {
    const streams = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (streams && this.#open && !this.#follower.active) return this.#follow(response)
    await response.body?.cancel()
    if (this.#open && (await this.refresh())) this.#followIfBusy()
  }

  #followIfBusy(): void {
    if (isBusy(this.#view.thread) && !this.#view.thread.has_newer) this.#follow()
  }

  /** Stops following the running turn while the latest messages are not loaded. */
  #unfollow(): void {
    this.close()
    this.#open = new AbortController()
  }

  #follow(response?: Response): void {
    const open = this.#open
    if (!open || this.#follower.active) return
    // If the conversation was closed and opened again in the meantime, the signal is a different one.
    void this.#follower.follow(open.signal, response).then(() => open !== this.#open && this.#followIfBusy())
  }

  #attach(signal: AbortSignal): Promise<Response> {
    const cursor = this.#view.thread.turn?.cursor
    const headers: Record<string, string> = cursor ? { 'last-event-id': cursor } : {}
    const params = { id: this.id }
    return this.#parts.api.open('GET', '/api/chat/sessions/{id}/stream', { params, headers, signal })
  }

  #changeThread(change: (thread: Thread) => Thread): void {
    this.#change({ thread: change(this.#view.thread) })
  }

  #change(changes: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...changes }
    for (const listener of this.#listeners) listener()
  }
}

const fingerprintOf = (text: string, { files = [], replaces }: SendOptions) =>
  JSON.stringify([text, files.map(({ file_id }) => file_id), replaces])
