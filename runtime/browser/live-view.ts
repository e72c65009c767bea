import { z } from 'zod'
import { holds } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Socket } from '../http/socket.ts'
import { parseJson } from '../json.ts'
import type { ActedEvent, Browser, Frame } from '../ports/browser.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import { leaseOf, type TabUser } from '../tabs/holder.ts'
import { PersonInput, type Tab } from '../tabs/schema.ts'
import { iso, second } from '../time.ts'
import { holderOf } from './holder.ts'
import { browserConfig } from './settings.ts'
import { activityOf, type BrowserActivity, browserLive } from './state.ts'
import { refusalOf } from './use.ts'

/** The state of the browser, sent next to the frames. */
export interface LiveState extends BrowserActivity {
  running: boolean
  url: string | null
  title: string | null
  /** The viewport in CSS pixels; null before the first frame. */
  width: number | null
  height: number | null
  tabs: Tab[]
}

/** An act as it is sent to watchers, regardless of who performed it. */
export interface LiveAct extends Pick<ActedEvent, 'tab_id' | 'action' | 'duration_ms' | 'url' | 'failure'> {
  /** The label of the element. */
  target: string | null
  by_person: boolean
  at: string
}

export type LiveMessage =
  | ({ type: 'state' } & LiveState)
  | ({ type: 'act' } & LiveAct)
  | { type: 'error'; code: string; message: string }

/** Text typed into a secret field is left out. */
export function describeAct(event: ActedEvent): LiveAct {
  const { action, element, tab_id, by_person = false, at, duration_ms, url, failure } = event
  const { text: _, value: __, ...open } = action
  return {
    tab_id,
    action: element?.secret ? open : action,
    target: element?.name ?? element?.label ?? element?.text ?? null,
    by_person,
    at: iso(at),
    duration_ms,
    url,
    failure,
  }
}

/** Bytes buffered for a watcher; it misses frames until it has read them. */
const maxBuffered = 256 * 1024
/** Milliseconds between checks of the tabs, and of watchers that missed a frame. */
const checkEvery = 1 * second
/** Milliseconds after which the frame of a still page is sent again. */
const keepAlive = 10 * second

interface Watcher {
  socket: Socket
  /** Whether the newest frame has not been sent to it. */
  outdated: boolean
}

/**
 * Streams the tab that is shown to the caller to a socket, and accepts its input. All watchers of one user share one
 * capture.
 */
export function watchBrowser(socket: Socket, context: Context): void {
  const { stopping } = context.process
  const views = liveViews(context)
  const user = holderOf(context)
  const lease = leaseOf(user)
  const view = views.get(lease) ?? new LiveView(context, user, () => views.delete(lease))
  views.set(lease, view)
  const leave = view.add(socket)
  takeInput(socket, context)
  socket.onClose(leave)
  if (stopping.aborted) leave()
}

/** By lease of the person or client who watches. */
export const liveViews = processState(() => new Map<string, LiveView>())

/** Exists as long as there are watchers. */
export class LiveView {
  readonly #host: Host
  readonly #user: TabUser
  readonly #browser: Browser
  readonly #watchers = new Set<Watcher>()
  readonly #over = new AbortController()
  readonly #ended: () => void
  #frame: Frame | null = null
  #sent_at = 0
  #state = ''
  #sending: Promise<void> | null = null
  #recapture = new AbortController()

  constructor(host: Host, user: TabUser, ended: () => void) {
    this.#host = host
    this.#user = user
    this.#browser = host.browser.as(user)
    this.#ended = ended
    const run = (work: Promise<void>) =>
      work.catch((cause: unknown) => {
        if (!this.#over.signal.aborted) host.log.write('warn', 'live view failed', { cause })
      })
    void run(this.#capture())
    void run(this.#look())
    const quiet = this.#browser.onAct((event) => this.#broadcast(textOf({ type: 'act', ...describeAct(event) })))
    this.#over.signal.addEventListener('abort', quiet, { once: true })
  }

  /** Returns a function that removes the watcher. */
  add(socket: Socket): () => void {
    const watcher = { socket, outdated: true }
    this.#watchers.add(watcher)
    if (this.#state) socket.send(this.#state)
    this.#show(watcher)
    return () => {
      if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return
      this.#over.abort()
      this.#ended()
    }
  }

  async #capture(): Promise<void> {
    const { bus, process } = this.#host
    const heard = bus.subscribe(eventsTopic, ({ type, data }) => {
      if (type === 'settings.updated' && (data as { section?: string }).section === browserConfig.name)
        this.#recapture.abort()
    })
    try {
      while (!this.#over.signal.aborted && !process.stopping.aborted) {
        this.#recapture = new AbortController()
        const signal = AbortSignal.any([this.#over.signal, this.#recapture.signal, process.stopping])
        const { stream_fps: fps, stream_quality: quality } = await readSection(this.#host, browserConfig)
        for await (const frame of this.#browser.frames({ fps, quality, signal })) await this.#take(frame)
      }
    } finally {
      heard.close()
    }
  }

  async #take(frame: Frame): Promise<void> {
    this.#frame = frame
    for (const watcher of this.#watchers) {
      watcher.outdated = true
      this.#show(watcher)
    }
    this.#sent_at = this.#host.clock.now()
    await this.#sendState()
  }

  #show(watcher: Watcher): void {
    if (!this.#frame || !watcher.outdated || watcher.socket.buffered() > maxBuffered) return
    watcher.outdated = false
    watcher.socket.send(this.#frame.jpeg)
  }

  async #look(): Promise<void> {
    const { clock } = this.#host
    for (;;) {
      if (this.#browser.status().tabs === 0) this.#frame = null
      // Also for what no frame shows: titles and other tabs. Not awaited, as a page may be busy.
      this.#sending ??= this.#sendState().finally(() => {
        this.#sending = null
      })
      if (clock.now() - this.#sent_at >= keepAlive) {
        this.#sent_at = clock.now()
        for (const watcher of this.#watchers) watcher.outdated = true
      }
      for (const watcher of this.#watchers) this.#show(watcher)
      await clock.after(checkEvery, this.#over.signal)
    }
  }

  /** Does not ask a closed browser for its tabs, which would open it. */
  async #sendState(): Promise<void> {
    const { running } = this.#browser.status()
    const tabs = running ? await this.#browser.tabs().catch(() => []) : []
    const active = tabs.find((tab) => tab.active)
    const { width = null, height = null } = this.#frame ?? {}
    const { url = null, title = null } = active ?? {}
    const state = textOf({
      type: 'state',
      running,
      url,
      title,
      width,
      height,
      tabs,
      ...activityOf(this.#host, this.#user),
    })
    if (state === this.#state) return
    this.#state = state
    this.#broadcast(state)
  }

  #broadcast(text: string): void {
    for (const { socket } of this.#watchers) socket.send(text)
  }
}

const textOf = (message: LiveMessage): string => JSON.stringify(message)

/** Close code of the application (RFC 6455) for a malformed message. */
export const malformed = 4400

/** Queued mouse moves; further ones are dropped while the page is busy. */
const maxMoves = 8
const maxQueued = 500

/** Takes or releases control of the page. */
const Take = z.object({ type: z.literal('take'), on: z.boolean() })
/** An input itself, or under `input`. */
const Message = z.union([
  PersonInput,
  Take,
  z.object({ type: z.literal('input'), input: PersonInput }).transform(({ input }) => input),
])

/** Accepts the input of a watcher. Keys and buttons still held down are released when they disconnect. */
export function takeInput(socket: Socket, context: Context): void {
  const user = holderOf(context)
  const browser = context.browser.as(user)
  const held = new Map<string, PersonInput>()
  let waiting = 0
  let release: (() => void) | null = null
  const hold = (on: boolean) => {
    release?.()
    release = on ? browserLive(context).control.take(context.caller.name, user.owner_id) : null
  }
  const refuse = (code: string, message: string) => {
    const refusal: LiveMessage = { type: 'error', code, message }
    socket.send(JSON.stringify(refusal))
  }
  const give = async (input: PersonInput) => {
    waiting += 1
    try {
      await browser.input(input)
    } catch (thrown) {
      const refusal = refusalOf(thrown)
      if (!(refusal instanceof Fault)) throw refusal
      refuse(String(refusal.extra.code ?? refusal.code), refusal.message)
    } finally {
      waiting -= 1
    }
  }
  const forward = (input: PersonInput) => {
    give(input).catch((cause: unknown) => context.log.write('warn', 'input failed', { cause }))
  }
  socket.onMessage((text) => {
    const message = typeof text === 'string' && Message.safeParse(parseJson(text)).data
    if (!message) return socket.close(malformed, 'Send {"type": "input", "input": {…}}')
    if (!holds(context.caller, 'write')) return refuse('forbidden', 'This credential may only watch')
    if (message.type === 'take') return hold(message.on)
    const idle = message.type === 'mouse' && message.kind === 'move'
    if (waiting >= (idle ? maxMoves : maxQueued)) return
    noteHeld(held, message)
    forward(message)
  })
  socket.onClose(() => {
    for (const key of held.values()) forward(key)
    hold(false)
  })
}

function noteHeld(held: Map<string, PersonInput>, input: PersonInput): void {
  if (input.type === 'text') return
  const name = input.type === 'key' ? `key ${input.key}` : `mouse ${input.button ?? 'left'}`
  if (input.kind === 'down') held.set(name, { ...input, kind: 'up' })
  if (input.kind === 'up') held.delete(name)
}
