import {
  BrowserCrashed,
  type BrowserEngine,
  BrowserFailure,
  BrowserMissing,
  type StorageState,
} from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Log } from '../../runtime/ports/log.ts'
import { launch } from './launch.ts'
import type { Part } from './part.ts'
import { type EgressProxy, startProxy } from './proxy.ts'
import { Session } from './session.ts'
import type { Setup } from './setup.ts'
import { endBrowsers } from './sweep.ts'
import { within } from './within.ts'

export interface LifeSettings {
  folder: string
  clock: Clock
  log: Log
  parts: readonly Part[]
  engine(): Promise<BrowserEngine | null>
  setup: Setup
}

export type Change = 'opened' | 'closed' | 'crashed'

/** Milliseconds without a call and without a watcher. */
const idleLimit = 10 * 60_000
/** Milliseconds for Chromium to end by itself. */
const closeLimit = 5_000
const stateLimit = 3_000

/** What the driver says of a browser or page that has gone. */
const goneWords = /has been closed|Target crashed|Browser closed|browser has disconnected|Target closed/i

const ended = () => new BrowserCrashed('The browser has ended; the next call opens a new one')

interface Running {
  session: Session
  proxy: EgressProxy
  /** Rejects when the browser has gone. */
  gone: Promise<never>
}

/** Opens the one browser when it is needed, and ends it when it is not. */
export class Life {
  readonly #settings: LifeSettings
  readonly #listeners = new Set<(change: Change) => void>()
  #running: Running | null = null
  /** What opens or closes, one at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #uses = 0
  #idle = new AbortController()
  /** Cookies and storage of a browser that was closed because nobody used it. */
  #kept: StorageState | null = null
  #ended = false

  constructor(settings: LifeSettings) {
    this.#settings = settings
  }

  get session(): Session | null {
    return this.#running?.session ?? null
  }

  get proxy(): EgressProxy | null {
    return this.#running?.proxy ?? null
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Keeps the browser open until the returned function is called. */
  hold(): () => void {
    this.#uses += 1
    this.#idle.abort()
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#uses -= 1
      if (this.#uses === 0) this.#waitIdle()
    }
  }

  /** Does something with the browser, opening it first. */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const release = this.hold()
    try {
      const { session, gone } = await this.#open()
      try {
        return await Promise.race([work(session), gone])
      } catch (thrown) {
        throw this.#explain(thrown, session)
      }
    } finally {
      release()
    }
  }

  #explain(thrown: unknown, session: Session): unknown {
    const said = thrown instanceof Error ? thrown.message : ''
    const died = !session.alive && (goneWords.test(said) || thrown instanceof BrowserFailure)
    if (died) return ended()
    if (thrown instanceof BrowserFailure || !goneWords.test(said)) return thrown
    return new BrowserFailure(
      'navigation_failed',
      'The tab has closed or crashed',
      'List the tabs, or open the page again',
    )
  }

  #open(): Promise<Running> {
    if (this.#running?.session.alive) return Promise.resolve(this.#running)
    return this.#alone(async () => {
      if (this.#ended) throw new BrowserCrashed('The browser is being stopped')
      if (!this.#running?.session.alive) this.#running = await this.#start()
      return this.#running
    })
  }

  async #start(): Promise<Running> {
    const { folder, clock, log, parts, setup } = this.#settings
    const { locate, headless, identity: options } = setup
    const engine = await this.#settings.engine()
    if (!engine) throw new BrowserMissing('There is no Chromium on this machine')
    const proxy = await startProxy(locate)
    try {
      const browser = await launch({ engine, headless, proxy: proxy.server, folder })
      const session = await Session.open({
        browser,
        locate,
        refusalOf: (url) => proxy.refusalOf(url),
        options,
        parts,
        state: this.#kept,
        now: clock.now(),
      })
      this.#kept = null
      const { promise: gone, reject } = Promise.withResolvers<never>()
      gone.catch(() => undefined)
      browser.on('disconnected', () => {
        reject(ended())
        this.#disconnected(session)
      })
      log.write('info', 'the browser has opened', { engine: engine.kind, version: browser.version() })
      this.#tell('opened')
      return { session, proxy, gone }
    } catch (thrown) {
      await proxy.close()
      endBrowsers(folder)
      throw unstartable(thrown)
    }
  }

  #disconnected(session: Session): void {
    const running = this.#running
    if (running?.session !== session) return
    this.#running = null
    endBrowsers(this.#settings.folder)
    void running.proxy.close()
    this.#settings.log.write('warn', 'the browser has ended by itself')
    this.#tell('crashed')
  }

  /** `keep` carries cookies and storage into the next browser. */
  close({ keep = false } = {}): Promise<void> {
    return this.#alone(async () => {
      const running = this.#running
      if (!keep) this.#kept = null
      if (!running) return
      if (keep) this.#kept = await within(stateLimit, running.session.state()).catch(() => null)
      this.#running = null
      await within(closeLimit, running.session.close()).catch(() => null)
      endBrowsers(this.#settings.folder)
      await running.proxy.close()
      this.#tell('closed')
    })
  }

  /** Closes for good. */
  async end(): Promise<void> {
    this.#ended = true
    this.#idle.abort()
    await this.close()
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work, work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #waitIdle(): void {
    if (this.#ended || !this.#running) return
    const idle = new AbortController()
    this.#idle = idle
    const { clock, log } = this.#settings
    const closeIdle = async () => {
      if (this.#uses > 0) return
      await this.close({ keep: true })
      log.write('info', 'the browser was idle and has closed')
    }
    clock.after(idleLimit, idle.signal).then(closeIdle, () => undefined)
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function unstartable(thrown: unknown): Error {
  if (thrown instanceof BrowserMissing) return thrown
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  const display = /Missing X server|\$DISPLAY|ozone_platform/i.test(said)
  const why = display
    ? 'this machine has no screen: choose headless in the settings'
    : (said.split('\n')[0] ?? '').slice(0, 300)
  return new BrowserCrashed(`The browser could not be started: ${why}`)
}
