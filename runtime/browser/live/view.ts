import type { Context } from '../../context.ts'
import { eventsTopic } from '../../events/event.ts'
import type { Host } from '../../host.ts'
import type { Socket } from '../../http/socket.ts'
import type { Frame } from '../../ports/browser.ts'
import { readSection } from '../../settings/section.ts'
import { second } from '../../time.ts'
import { browserConfig } from '../settings.ts'
import { standingOf } from '../standing.ts'
import { toldAct } from './acts.ts'
import { takeInput } from './input.ts'
import type { LiveMessage } from './messages.ts'

/** Bytes that may wait for a watcher; it misses frames until it has read them. */
const mostBuffered = 256 * 1024
/** Milliseconds between two looks at what is not a frame: the tabs, and who has fallen behind. */
const lookEvery = 1 * second
/** A page that stands still is shown again this often. */
const keepAlive = 10 * second

interface Watcher {
  socket: Socket
  /** Has missed the newest frame. */
  behind: boolean
}

/** Shows the browser to a socket, and lets it take part. One capture serves all that watch. */
export function watchBrowser(socket: Socket, context: Context): void {
  const { browser_live, stopping } = context.process
  browser_live.view ??= new LiveView(context, () => {
    browser_live.view = null
  })
  const leave = browser_live.view.add(socket)
  takeInput(socket, context)
  socket.onClose(leave)
  if (stopping.aborted) leave()
}

/** Lives as long as somebody watches. */
export class LiveView {
  readonly #host: Host
  readonly #watchers = new Set<Watcher>()
  readonly #over = new AbortController()
  readonly #ended: () => void
  #frame: Frame | null = null
  #sent_at = 0
  #state = ''
  #telling: Promise<void> | null = null
  #recapture = new AbortController()

  constructor(host: Host, ended: () => void) {
    this.#host = host
    this.#ended = ended
    const run = (work: Promise<void>) =>
      work.catch((cause: unknown) => {
        if (!this.#over.signal.aborted) host.log.write('warn', 'the live view failed', { cause })
      })
    void run(this.#capture())
    void run(this.#look())
    const quiet = host.browser.onAct((event) => this.#tell(textOf({ type: 'act', ...toldAct(event) })))
    this.#over.signal.addEventListener('abort', quiet, { once: true })
  }

  /** Returns how to leave. */
  add(socket: Socket): () => void {
    const watcher = { socket, behind: true }
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
    const { bus, browser, process } = this.#host
    const heard = bus.subscribe(eventsTopic, ({ type, data }) => {
      if (type === 'settings.updated' && (data as { section?: string }).section === browserConfig.name)
        this.#recapture.abort()
    })
    try {
      while (!this.#over.signal.aborted && !process.stopping.aborted) {
        this.#recapture = new AbortController()
        const signal = AbortSignal.any([this.#over.signal, this.#recapture.signal, process.stopping])
        const { stream_fps: fps, stream_quality: quality } = await readSection(this.#host, browserConfig)
        for await (const frame of browser.frames({ fps, quality, signal })) await this.#take(frame)
      }
    } finally {
      heard.close()
    }
  }

  async #take(frame: Frame): Promise<void> {
    this.#frame = frame
    for (const watcher of this.#watchers) {
      watcher.behind = true
      this.#show(watcher)
    }
    this.#sent_at = this.#host.clock.now()
    await this.#tellState()
  }

  #show(watcher: Watcher): void {
    if (!this.#frame || !watcher.behind || watcher.socket.buffered() > mostBuffered) return
    watcher.behind = false
    watcher.socket.send(this.#frame.jpeg)
  }

  async #look(): Promise<void> {
    const { clock, browser } = this.#host
    for (;;) {
      if (!browser.status().running) this.#frame = null
      // Also what no picture shows: a title, or a tab behind the active one. A page that is busy holds up nobody.
      this.#telling ??= this.#tellState().finally(() => {
        this.#telling = null
      })
      if (clock.now() - this.#sent_at >= keepAlive) {
        this.#sent_at = clock.now()
        for (const watcher of this.#watchers) watcher.behind = true
      }
      for (const watcher of this.#watchers) this.#show(watcher)
      await clock.after(lookEvery, this.#over.signal)
    }
  }

  /** Asking for the tabs would open a browser that is closed. */
  async #tellState(): Promise<void> {
    const { browser } = this.#host
    const { running } = browser.status()
    const tabs = running ? await browser.tabs().catch(() => []) : []
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
      ...standingOf(this.#host),
    })
    if (state === this.#state) return
    this.#state = state
    this.#tell(state)
  }

  #tell(text: string): void {
    for (const { socket } of this.#watchers) socket.send(text)
  }
}

const textOf = (message: LiveMessage): string => JSON.stringify(message)
