import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright'
import type { StorageState } from '../../runtime/ports/browser.ts'
import type { Tabs } from './tabs.ts'
import { inTime } from './time-limit.ts'

/** Watches the pages of the browser as long as the daemon runs, across restarts of the browser. */
export interface Part {
  /** Called for each new context of an owner, before it has a page. */
  attach(context: BrowserContext, owner_id: string): void | Promise<void>
}

export interface ProfileParts {
  browser: Browser
  /** The browser identity. */
  options: BrowserContextOptions
  parts: readonly Part[]
  tabs: Tabs
  /** Cookies and storage of the owners whose profile is closed. */
  kept: Map<string, StorageState>
}

/** Pages after which a context without tabs is replaced, as Chromium leaks a little memory for each. */
const maxPages = 100
/** Milliseconds to read the cookies and storage of a profile. */
const stateLimit = 3_000

/** The profiles of the running browser, one for each owner, opened on first use. All have the same identity. */
export class Profiles {
  readonly #parts: ProfileParts
  readonly #opened = new Map<string, Promise<Profile>>()
  #options: BrowserContextOptions

  constructor(parts: ProfileParts) {
    this.#parts = parts
    this.#options = parts.options
  }

  of(owner_id: string): Promise<Profile> {
    const cached = this.#opened.get(owner_id)
    if (cached) return cached
    const opening = Profile.open(this.#parts, owner_id, this.#options)
    this.#opened.set(owner_id, opening)
    opening.catch(() => this.#opened.delete(owner_id))
    return opening
  }

  /** Gives all profiles another identity, which reopens their tabs. */
  async identify(options: BrowserContextOptions): Promise<void> {
    this.#options = options
    await Promise.all([...this.#opened.values()].map(async (opening) => (await opening).identify(options)))
  }

  /** Closes the profile of an owner with its cookies and storage. */
  async forget(owner_id: string): Promise<void> {
    const opening = this.#opened.get(owner_id)
    this.#opened.delete(owner_id)
    await (await opening)?.close()
  }

  /** Keeps the cookies and storage of all profiles for the next browser. */
  async keep(): Promise<void> {
    for (const [owner_id, opening] of this.#opened) {
      const reading = opening.then((profile) => profile.state())
      const state = await inTime(stateLimit, reading).catch(() => null)
      if (state) this.#parts.kept.set(owner_id, state)
    }
  }
}

/** The browser context of one owner: their cookies, storage, caches and tabs. */
export class Profile {
  readonly popups = new Popups()
  readonly #parts: ProfileParts
  readonly #owner_id: string
  #context: BrowserContext
  #options: BrowserContextOptions
  /** Pages that the context has had. */
  #pages = 0
  /** Opening pages and replacing the context, one at a time. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(
    parts: ProfileParts,
    owner_id: string,
    { context, options }: { context: BrowserContext; options: BrowserContextOptions },
  ) {
    this.#parts = parts
    this.#owner_id = owner_id
    this.#context = context
    this.#options = options
  }

  /** Opens the profile with the cookies and storage that were kept. */
  static async open(parts: ProfileParts, owner_id: string, options: BrowserContextOptions): Promise<Profile> {
    const kept = parts.kept.get(owner_id) ?? null
    const context = await parts.browser.newContext(withState(options, kept))
    parts.kept.delete(owner_id)
    const profile = new Profile(parts, owner_id, { context, options })
    await profile.#attach(context)
    return profile
  }

  get context(): BrowserContext {
    return this.#context
  }

  state(): Promise<StorageState> {
    return this.#context.storageState()
  }

  newPage(): Promise<Page> {
    return this.#alone(async () => {
      if (this.#context.pages().length === 0 && this.#pages >= maxPages) await this.#replace()
      return this.#context.newPage()
    })
  }

  /** Replaces the cookies and storage, and reopens the tabs. */
  restore(state: StorageState): Promise<void> {
    return this.#alone(() => this.#replace(state))
  }

  identify(options: BrowserContextOptions): Promise<void> {
    return this.#alone(() => {
      this.#options = options
      return this.#replace()
    })
  }

  close(): Promise<void> {
    return this.#alone(() => this.#context.close())
  }

  /** Replaces the context with one that has the same tabs, cookies and storage, unless another state is given. */
  async #replace(state?: StorageState): Promise<void> {
    const old = this.#context
    const options = withState(this.#options, state ?? (await this.state()))
    const fresh = await this.#parts.browser.newContext(options)
    this.#context = fresh
    this.#pages = 0
    await this.#attach(fresh)
    await this.#parts.tabs.move(old, fresh)
    await old.close()
  }

  async #attach(context: BrowserContext): Promise<void> {
    context.on('page', () => {
      this.#pages += 1
    })
    this.#parts.tabs.attach(context)
    this.popups.attach(context)
    for (const part of this.#parts.parts) await part.attach(context, this.#owner_id)
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

const withState = (options: BrowserContextOptions, state: StorageState | null): BrowserContextOptions =>
  state ? { ...options, storageState: state as NonNullable<BrowserContextOptions['storageState']> } : options

/** Milliseconds for a new window to become usable. */
const openLimit = 5_000

/**
 * Counts the windows that pages have requested. Chromium reports a request at once, and the window only when
 * it begins to load, so an act that opened one waits here.
 */
export class Popups {
  #expected = 0
  #waiting: (() => void)[] = []

  attach(context: BrowserContext): void {
    this.#expected = 0
    context.on('page', (page) => {
      this.#arrived()
      void this.#watch(page).catch(() => undefined)
    })
  }

  async #watch(page: Page): Promise<void> {
    const session: CDPSession = await page.context().newCDPSession(page)
    session.on('Page.windowOpen', () => {
      this.#expected += 1
    })
    await session.send('Page.enable')
  }

  #arrived(): void {
    this.#expected = Math.max(this.#expected - 1, 0)
    if (this.#expected === 0) for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves when every requested window is a tab. */
  async settled(): Promise<void> {
    if (this.#expected === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await inTime(openLimit, promise)
    this.#expected = 0
  }
}
