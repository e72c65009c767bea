import type { Browser, Page, Request } from 'playwright'
import { nobody } from '../../runtime/auth/owner.ts'
import { type ActOptions, BrowserFailure, type SnapshotOptions, type TabUser } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Action, Snapshot } from '../../runtime/tabs/schema.ts'
import { registerEngine } from './page/isolated-world.ts'
import { perform } from './page/perform.ts'
import { type PageView, render, viewPage } from './page/snapshot.ts'
import type { Identity } from './page-script/identity.ts'
import { type Profile, type ProfileParts, Profiles } from './profiles.ts'
import type { Locate } from './proxy.ts'
import { holderOf, Tabs, titleOf } from './tabs.ts'

interface SessionParts extends Omit<ProfileParts, 'tabs'> {
  locate: Locate
  /** Why the guard refused the last request to this host; null if it did not. */
  refusalOf(url: URL): string | null
  clock: Pick<Clock, 'now'>
}

/** A running Chromium: the tabs and profiles of its users. */
export class Session {
  readonly tabs = new Tabs()
  readonly profiles: Profiles
  readonly started_at: number
  readonly #parts: SessionParts

  private constructor(parts: SessionParts) {
    this.#parts = parts
    this.profiles = new Profiles({ ...parts, tabs: this.tabs })
    this.started_at = parts.clock.now()
  }

  static async open(parts: SessionParts): Promise<Session> {
    await registerEngine()
    return new Session(parts)
  }

  get browser(): Browser {
    return this.#parts.browser
  }

  get alive(): boolean {
    return this.browser.isConnected()
  }

  async close(): Promise<void> {
    await this.browser.close()
  }

  /** The profile of `user.owner_id`; without a user, one that belongs to nobody. */
  profile(user?: TabUser): Promise<Profile> {
    return this.profiles.of(user?.owner_id ?? nobody)
  }

  /** Closes the tabs that a user may use, and the profile of their owner unless it has other tabs. */
  async leave(user: TabUser): Promise<void> {
    await this.tabs.close(user)
    if (!this.tabs.isOwner(user.owner_id)) await this.profiles.forget(user.owner_id)
  }

  /** The tab of a user with this id, by default their active one; a tab is opened if they have none. */
  async page(id?: string, user?: TabUser): Promise<Page> {
    const tab = id === undefined ? this.tabs.active(user) : this.tabs.find(id, user)
    if (!tab && id !== undefined)
      throw new BrowserFailure('element_not_found', `There is no tab ${id}`, 'List the tabs to get their ids')
    const page = tab ?? (await this.open(user))
    this.tabs.touch(page, this.#parts.clock.now())
    return page
  }

  async open(user?: TabUser): Promise<Page> {
    const page = await (await this.profile(user)).newPage()
    if (user) this.tabs.lease(page, user)
    return page
  }

  allow(url: string): Promise<string> {
    return allowAddress(url, this.#parts.locate)
  }

  async act(
    action: Action,
    { signal, identity }: ActOptions & { identity?: Identity | undefined } = {},
    user?: TabUser,
  ): Promise<{ page: Page; url: string; title: string }> {
    const page = await this.page(action.tab_id, user)
    const { popups } = await this.profile(holderOf(page) ?? undefined)
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
    await popups.settled()
    const visiblePage = action.tab_id === undefined ? (this.tabs.active(user) ?? page) : page
    const refusal = this.#refusal(visiblePage === page ? address.last() : visiblePage.url())
    if (refusal) throw refusal
    return { page: visiblePage, url: visiblePage.url(), title: await titleOf(visiblePage, dialogs) }
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
    const reason = url && this.#parts.refusalOf(url)
    return reason ? blocked(reason) : null
  }

  /** Chromium only sees that the proxy has failed, so an unresolvable host is reported here. */
  async #unresolved(address: string | null, thrown: unknown): Promise<unknown> {
    const url = address === null ? null : URL.parse(address)
    if (!url || !(thrown instanceof BrowserFailure) || thrown.code !== 'navigation_failed') return thrown
    const isReachable = await this.#parts.locate(url).then(
      () => true,
      () => false,
    )
    if (isReachable) return thrown
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
    const look = viewPage(page).then((read) => {
      view = read
    })
    await this.tabs.dialogs.orDialog(page, look)
    return view
  }
}

const blocked = (reason: string) =>
  new BrowserFailure(
    'blocked_url',
    `This address is blocked: ${reason}`,
    'Only public http and https pages can be opened; the owner can allow a host in the browser settings',
  )

/** The address to open, checked early for a clear error. The proxy checks every request that follows. */
async function allowAddress(text: string, locate: Locate): Promise<string> {
  const trimmed = text.trim()
  if (trimmed === 'about:blank') return trimmed
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/:]+:\d+(\/|$)/.test(trimmed) ? trimmed : `https://${trimmed}`,
  )
  if (!url)
    throw new BrowserFailure('navigation_failed', 'This is not a valid address', 'Write it as https://example.com/')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked(`${url.protocol} is not http or https`)
  try {
    await locate(url)
  } catch (thrown) {
    // A name that cannot be resolved may be mocked.
    if ((thrown as Error).name === 'OutboundBlocked') throw blocked((thrown as Error).message)
  }
  return url.href
}
