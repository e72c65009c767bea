import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import {
  BrowserCrashed,
  type BrowserEngine,
  BrowserFailure,
  BrowserMissing,
  type StorageState,
  type TabUser,
} from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Log } from '../../runtime/ports/log.ts'
import { defaultLocale } from '../../runtime/tabs/schema.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import type { Part } from './profiles.ts'
import { type EgressProxy, startProxy } from './proxy.ts'
import { Session } from './session.ts'
import type { Setup } from './setup.ts'
import { downloading, endBrowsers, markOf, temporary } from './sweep.ts'
import { inTime } from './time-limit.ts'

interface LifecycleSettings {
  folder: string
  clock: Clock
  log: Log
  parts: readonly Part[]
  engine(): Promise<BrowserEngine | null>
  setup: Setup
}

type Change = 'opened' | 'closed' | 'crashed'

/** Milliseconds without a call or a watcher after which the browser is closed, and without a call the tabs of a lease. */
const idleLimit = 10 * 60_000
/** Milliseconds for Chromium to exit before it is killed. */
const closeLimit = 5_000

/** Playwright's messages about a browser or page that has closed. */
const closedMessages = /has been closed|Target crashed|Browser closed|browser has disconnected|Target closed/i

const crashed = () => new BrowserCrashed('The browser has crashed; the next call opens a new one')

interface Running {
  session: Session
  proxy: EgressProxy
  /** Rejects when the browser exits. */
  gone: Promise<never>
}

/** Opens the browser with the first call that needs it, and closes it once it is idle. */
export class BrowserLifecycle {
  readonly #settings: LifecycleSettings
  readonly #listeners = new Set<(change: Change) => void>()
  #running: Running | null = null
  /** Opening and closing, one at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #uses = 0
  #idle = new AbortController()
  #leases = new AbortController()
  /** Cookies and storage of each owner, of a browser that was closed because it was idle. */
  readonly #kept = new Map<string, StorageState>()
  #ended = false

  constructor(settings: LifecycleSettings) {
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

  /** Runs something with the browser, which is opened first if needed. */
  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const release = this.hold()
    try {
      const { session, gone } = await this.#open()
      try {
        return await Promise.race([work(session), gone])
      } catch (thrown) {
        throw this.#explain(thrown, session)
      } finally {
        this.#watchLeases()
      }
    } finally {
      release()
    }
  }

  #explain(thrown: unknown, session: Session): unknown {
    const message = thrown instanceof Error ? thrown.message : ''
    const died = !session.alive && (closedMessages.test(message) || thrown instanceof BrowserFailure)
    if (died) return crashed()
    if (thrown instanceof BrowserFailure || !closedMessages.test(message)) return thrown
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
    if (!engine) throw new BrowserMissing('No Chromium is installed on this machine')
    const proxy = await startProxy(locate)
    try {
      const browser = await launch({ engine, headless, proxy: proxy.server, folder })
      const session = await Session.open({
        browser,
        locate,
        refusalOf: (url) => proxy.refusalOf(url),
        options,
        parts,
        kept: this.#kept,
        clock,
      })
      const { promise: gone, reject } = Promise.withResolvers<never>()
      gone.catch(() => undefined)
      browser.on('disconnected', () => {
        reject(crashed())
        this.#disconnected(session)
      })
      log.write('info', 'browser opened', { engine: engine.kind, version: browser.version() })
      this.#notify('opened')
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
    this.#settings.log.write('warn', 'browser exited unexpectedly')
    this.#notify('crashed')
  }

  /** `keep` carries cookies and storage into the next browser. */
  close({ keep = false } = {}): Promise<boolean> {
    return this.#alone(() => this.#close(keep))
  }

  /**
   * Closes the tabs of a user, with the profile of their owner unless it has other tabs, and the browser unless others
   * have tabs. Returns whether the browser was closed.
   */
  leave(user: TabUser): Promise<boolean> {
    return this.#alone(async () => {
      this.#kept.delete(user.owner_id)
      const { session } = this
      if (session) await inTime(closeLimit, session.leave(user))
      return session?.tabs.size() === 0 && this.#close(true)
    })
  }

  async #close(keep: boolean): Promise<boolean> {
    const running = this.#running
    if (keep) await running?.session.profiles.keep()
    else this.#kept.clear()
    if (!running) return false
    this.#running = null
    await inTime(closeLimit, running.session.close()).catch(() => null)
    endBrowsers(this.#settings.folder)
    await running.proxy.close()
    this.#notify('closed')
    return true
  }

  /** Closes it permanently. */
  async end(): Promise<void> {
    this.#ended = true
    this.#idle.abort()
    this.#leases.abort()
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
      log.write('info', 'idle browser closed')
    }
    clock.after(idleLimit, idle.signal).then(closeIdle, () => undefined)
  }

  /** Closes the idle tabs of agents and clients, now and when the most recently used ones become idle. */
  #watchLeases(): void {
    const { clock, log } = this.#settings
    this.#leases.abort()
    this.#leases = new AbortController()
    const closeIdle = async () => this.session?.tabs.closeIdle(clock.now() - idleLimit)
    const close = () => closeIdle().catch((cause: unknown) => log.write('warn', 'cannot close an idle tab', { cause }))
    void close()
    clock.after(idleLimit, this.#leases.signal).then(close, () => undefined)
  }

  #notify(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function unstartable(thrown: unknown): Error {
  if (thrown instanceof BrowserMissing) return thrown
  const message = errorMessage(thrown)
  const display = /Missing X server|\$DISPLAY|ozone_platform/i.test(message)
  const why = display
    ? 'this machine has no screen; choose headless in the settings'
    : (message.split('\n')[0] ?? '').slice(0, 300)
  return new BrowserCrashed(`The browser could not be started: ${why}`)
}

interface LaunchOptions {
  engine: BrowserEngine
  headless: boolean
  /** Address of the egress proxy. */
  proxy: string
  /** The browser's folder, with its temporary files. */
  folder: string
}

/** Milliseconds for Chromium to start. */
const launchLimit = 30_000

/** Starts a Chromium that reaches the network through the proxy only. */
async function launch({ engine, headless, proxy, folder }: LaunchOptions): Promise<Browser> {
  mkdirSync(downloading(folder), { recursive: true, mode: 0o700 })
  return withTemporary(temporary(folder), () =>
    chromium.launch({
      executablePath: engine.executable,
      headless,
      timeout: launchLimit,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      // Without this entry Chromium would reach loopback addresses past the proxy.
      proxy: { server: proxy, bypass: '<-loopback>' },
      artifactsDir: temporary(folder),
      downloadsPath: downloading(folder),
      env: environment(engine, folder),
      args: [
        markOf(folder),
        '--disable-quic',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        `--lang=${defaultLocale}`,
        ...(headless ? ['--headless=new'] : []),
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    }),
  )
}

/** Playwright creates the profile in the temporary folder of its process, which it reads once. */
async function withTemporary<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = place
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** The packaged Chromium has fonts for machines without any. */
function environment({ kind, executable }: BrowserEngine, folder: string): Record<string, string> {
  const { PATH, HOME, DISPLAY, WAYLAND_DISPLAY, FONTCONFIG_PATH } = process.env
  const fonts = kind === 'pack' && !existsSync('/etc/fonts') ? join(executable, '..', 'fonts') : FONTCONFIG_PATH
  const variables = {
    PATH,
    HOME,
    DISPLAY,
    WAYLAND_DISPLAY,
    FONTCONFIG_PATH: fonts,
    TMPDIR: temporary(folder),
    // Without UTF-8 Chromium cannot name a download `Übersicht.pdf`, and calls it `download`.
    LC_ALL: 'C.UTF-8',
  }
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => Boolean(entry[1])))
}
