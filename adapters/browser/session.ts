import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page, Request } from 'playwright'
import type { Action, Snapshot } from '../../runtime/browser/schema.ts'
import {
  type ActOptions,
  BrowserFailure,
  type SnapshotOptions,
  type StorageState,
  type TabUser,
} from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { registerEngine } from './page/isolated-world.ts'
import { perform } from './page/perform.ts'
import { type PageView, render, viewPage } from './page/snapshot.ts'
import type { Identity } from './page-script/identity.ts'
import type { Locate } from './proxy.ts'
import { Tabs, titleOf } from './tabs.ts'
import { inTime } from './time-limit.ts'

/** Watches the pages of the browser as long as the daemon runs, across restarts of the browser. */
export interface Part {
  /** Called for each new context, before it has a page: at a start, and when the identity has changed. */
  attach(context: BrowserContext): void | Promise<void>
}

export interface SessionParts {
  browser: Browser
  locate: Locate
  /** Why the guard refused the last request to this host; null if it did not. */
  refusalOf(url: URL): string | null
  options: BrowserContextOptions
  /** Initial cookies and storage. */
  state: StorageState | null
  parts: readonly Part[]
  clock: Pick<Clock, 'now'>
}

/** Pages after which a context without tabs is replaced, as Chromium leaks a little memory for each. */
const maxPages = 100

/** A running Chromium with its context. */
export class Session {
  readonly tabs = new Tabs()
  readonly started_at: number
  readonly #popups = new Popups()
  readonly #given: SessionParts
  #context: BrowserContext
  #options: BrowserContextOptions
  #fresh_at = 0

  private constructor(given: SessionParts, context: BrowserContext) {
    this.#given = given
    this.#context = context
    this.#options = given.options
    this.started_at = given.clock.now()
  }

  static async open(given: SessionParts): Promise<Session> {
    await registerEngine()
    const context = await given.browser.newContext(withState(given.options, given.state))
    const session = new Session(given, context)
    await session.#attach(context)
    return session
  }

  get context(): BrowserContext {
    return this.#context
  }

  get alive(): boolean {
    return this.#given.browser.isConnected()
  }

  async #attach(context: BrowserContext): Promise<void> {
    this.tabs.attach(context)
    this.#popups.attach(context)
    for (const part of this.#given.parts) await part.attach(context)
  }

  async close(): Promise<void> {
    await this.#given.browser.close()
  }

  state(): Promise<StorageState> {
    return this.#context.storageState()
  }

  /**
   * Replaces the context with one that has the same tabs, cookies and storage, unless another state is given.
   */
  async renew(options = this.#options, state?: StorageState): Promise<void> {
    const kept = state ?? (await this.state())
    const old = this.#context
    const fresh = await this.#given.browser.newContext(withState(options, kept))
    this.#options = options
    this.#context = fresh
    await this.#attach(fresh)
    await this.tabs.move(fresh)
    this.#fresh_at = this.tabs.opened
    await old.close()
  }

  /** The tab of a user with this id, by default their active one; a tab is opened if they have none. */
  async page(id?: string, user?: TabUser): Promise<Page> {
    const found = id === undefined ? this.tabs.active(user) : this.tabs.find(id, user)
    if (!found && id !== undefined)
      throw new BrowserFailure('element_not_found', `There is no tab ${id}`, 'List the tabs to get their ids')
    const page = found ?? (await this.open(user))
    this.tabs.touch(page, this.#given.clock.now())
    return page
  }

  async open(user?: TabUser): Promise<Page> {
    if (this.tabs.size() === 0 && this.tabs.opened - this.#fresh_at >= maxPages) await this.renew()
    const page = await this.#context.newPage()
    if (user) this.tabs.lease(page, user)
    return page
  }

  allow(url: string): Promise<string> {
    return allowAddress(url, this.#given.locate)
  }

  async act(
    action: Action,
    { signal, identity }: ActOptions & { identity?: Identity | undefined } = {},
    user?: TabUser,
  ): Promise<{ page: Page; url: string; title: string }> {
    const page = await this.page(action.tab_id, user)
    const { dialogs } = this.tabs
    const allow = (url: string) => this.allow(url)
    const address = this.#watchAddress(page)
    try {
      await perform({ page, action, identity, dialogs, view: this.tabs.view(page, user), allow }, signal)
    } catch (thrown) {
      throw this.#refusal(address.last()) ?? (await this.#unresolved(address.last(), thrown))
    } finally {
      address.stop()
    }
    await this.#popups.settled()
    const shown = action.tab_id === undefined ? (this.tabs.active(user) ?? page) : page
    const refusal = this.#refusal(shown === page ? address.last() : shown.url())
    if (refusal) throw refusal
    return { page: shown, url: shown.url(), title: await titleOf(shown, dialogs) }
  }

  /** Watches which address the page navigates to. */
  #watchAddress(page: Page): { last(): string | null; stop(): void } {
    let last: string | null = null
    const see = (request: Request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request.url()
    }
    page.on('request', see)
    return { last: () => last, stop: () => page.off('request', see) }
  }

  /** The guard's reason to refuse an address, which says more than the error page. */
  #refusal(address: string | null): BrowserFailure | null {
    const url = address === null ? null : URL.parse(address)
    const reason = url && this.#given.refusalOf(url)
    return reason ? blocked(reason) : null
  }

  /** Chromium only sees that the proxy has failed, so an unresolvable host is reported here. */
  async #unresolved(address: string | null, thrown: unknown): Promise<unknown> {
    const url = address === null ? null : URL.parse(address)
    if (!url || !(thrown instanceof BrowserFailure) || thrown.code !== 'navigation_failed') return thrown
    const found = await this.#given.locate(url).then(
      () => true,
      () => false,
    )
    if (found) return thrown
    const hint = 'Check the address, and the network of this machine'
    return new BrowserFailure(thrown.code, `The host ${url.hostname} cannot be resolved`, hint)
  }

  async snapshot(options: SnapshotOptions = {}, user?: TabUser): Promise<Snapshot> {
    const page = await this.page(options.tab_id, user)
    const { dialogs } = this.tabs
    const about = { url: page.url(), title: await titleOf(page, dialogs) }
    const before = this.tabs.view(page, user)
    const view = dialogs.of(page) ? null : await this.#viewOrDialog(page)
    const dialog = dialogs.of(page)
    if (!view) return { snapshot: '', element_count: 0, truncated: false, ...about, dialog }
    const rendered = render(view, options, before)
    this.tabs.setView(page, view, user)
    return { ...rendered, ...about, dialog }
  }

  /** Null if the page opens a dialog meanwhile: it does not answer until that is handled. */
  async #viewOrDialog(page: Page): Promise<PageView | null> {
    let view: PageView | null = null
    const look = viewPage(page).then((seen) => {
      view = seen
    })
    await this.tabs.dialogs.orDialog(page, look)
    return view
  }
}

const withState = (options: BrowserContextOptions, state: StorageState | null): BrowserContextOptions =>
  state ? { ...options, storageState: state as NonNullable<BrowserContextOptions['storageState']> } : options

export const blocked = (reason: string) =>
  new BrowserFailure(
    'blocked_url',
    `This address is blocked: ${reason}`,
    'Only public http and https pages can be opened; the owner can allow a host in the browser settings',
  )

/** The address to open, checked early for a clear error. The proxy checks every request that follows. */
export async function allowAddress(text: string, locate: Locate): Promise<string> {
  const trimmed = text.trim()
  if (trimmed === 'about:blank') return trimmed
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/:]+:\d+(\/|$)/.test(trimmed)
      ? trimmed
      : `https://${trimmed}`,
  )
  if (!url)
    throw new BrowserFailure(
      'navigation_failed',
      'This is not a valid address',
      'Write it as https://example.com/',
    )
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw blocked(`${url.protocol} is not http or https`)
  try {
    await locate(url)
  } catch (thrown) {
    // A name that cannot be resolved may be mocked.
    if ((thrown as Error).name === 'OutboundBlocked') throw blocked((thrown as Error).message)
  }
  return url.href
}

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
