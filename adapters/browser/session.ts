import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright'
import type { Action, Snapshot } from '../../runtime/browser/schema.ts'
import {
  type ActOptions,
  BrowserFailure,
  type SnapshotOptions,
  type StorageState,
} from '../../runtime/ports/browser.ts'
import { allowAddress, blocked } from './address.ts'
import { perform } from './page/perform.ts'
import { type PageView, tell, viewPage } from './page/snapshot.ts'
import { registerEngine } from './page/view.ts'
import type { Part } from './part.ts'
import { Popups } from './popups.ts'
import type { Locate } from './proxy.ts'
import { Tabs, titleOf } from './tabs.ts'

export interface SessionParts {
  browser: Browser
  locate: Locate
  /** Why the guard refused the last request to the host of this URL; null when it did not. */
  refusalOf(url: URL): string | null
  options: BrowserContextOptions
  /** Cookies and storage to begin with. */
  state: StorageState | null
  parts: readonly Part[]
  /** Milliseconds since the epoch. */
  now: number
}

/** Pages after which a context without a tab is replaced: Chromium keeps a little of each. */
const mostPages = 100

/** One running Chromium with its one context. */
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
    this.started_at = given.now
  }

  static async open(given: SessionParts): Promise<Session> {
    // A page learns the driver's selectors once, with its first document.
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

  /** Another context in the place of this one, with its cookies, storage and tabs unless others are given. */
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

  /** The tab of that name, else the active one; the first is opened when there is none. */
  async page(id?: string): Promise<Page> {
    const page = id === undefined ? this.tabs.active : this.tabs.find(id)
    if (page) return page
    if (id === undefined) return this.open()
    throw new BrowserFailure('element_not_found', `There is no tab ${id}`, 'List the tabs to see their ids')
  }

  async open(): Promise<Page> {
    if (this.tabs.size === 0 && this.tabs.opened - this.#fresh_at >= mostPages) await this.renew()
    return this.#context.newPage()
  }

  allow(url: string): Promise<string> {
    return allowAddress(url, this.#given.locate)
  }

  async act(
    action: Action,
    { signal, reader }: ActOptions = {},
  ): Promise<{ page: Page; url: string; title: string }> {
    const page = await this.page(action.tab_id)
    const { dialogs } = this.tabs
    const allow = (url: string) => this.allow(url)
    const led = this.#watchLed(page)
    try {
      await perform({ page, action, dialogs, view: this.tabs.view(page, reader), allow }, signal)
    } catch (thrown) {
      throw this.#refusal(led.to()) ?? thrown
    } finally {
      led.stop()
    }
    await this.#popups.settled()
    const shown = action.tab_id === undefined ? (this.tabs.active ?? page) : page
    const refusal = this.#refusal(shown === page ? led.to() : shown.url())
    if (refusal) throw refusal
    return { page: shown, url: shown.url(), title: await titleOf(shown, dialogs) }
  }

  /** Where an act leads the page. */
  #watchLed(page: Page): { to(): string | null; stop(): void } {
    let last: string | null = null
    const see = (request: Request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request.url()
    }
    page.on('request', see)
    return { to: () => last, stop: () => page.off('request', see) }
  }

  /** The guard's word against an address, for what a page shows in its place says little. */
  #refusal(address: string | null): BrowserFailure | null {
    const url = address === null ? null : URL.parse(address)
    const reason = url && this.#given.refusalOf(url)
    return reason ? blocked(reason) : null
  }

  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    const page = await this.page(options.tab_id)
    const { dialogs } = this.tabs
    const about = { url: page.url(), title: await titleOf(page, dialogs) }
    const before = this.tabs.view(page, options.reader)
    const view = dialogs.of(page) ? null : await this.#viewOrDialog(page)
    const dialog = dialogs.of(page)
    if (!view) return { snapshot: '', element_count: 0, truncated: false, ...about, dialog }
    const told = tell(view, options, before)
    this.tabs.setView(page, view, options.reader)
    return { ...told, ...about, dialog }
  }

  /** Null when the page opens a dialog while it is looked at: it tells no more until that is answered. */
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
