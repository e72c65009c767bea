import type { BrowserContext, Page } from 'playwright'
import type { OpenDialog, TabUser } from '../../runtime/ports/browser.ts'
import { leaseOf, mayUse } from '../../runtime/tabs/holder.ts'
import type { Tab } from '../../runtime/tabs/schema.ts'
import { Dialogs } from './page/dialogs.ts'
import { watchRequests } from './page/navigation.ts'
import type { PageView } from './page/snapshot.ts'
import { inTime } from './time-limit.ts'

/** Milliseconds for a page to return its title; one with an open dialog never does. */
const titleLimit = 500
/** Milliseconds to reopen a page. */
const reopenLimit = 10_000

/** Readers of a page whose numbers are kept. */
const maxReaders = 16

/** Who leases a page, also after it was closed. */
const holders = new WeakMap<Page, TabUser>()

export const holderOf = (page: Page | null): TabUser | null => (page && holders.get(page)) ?? null

/** Whether a user may see a page; undefined for the browser itself, which sees all. */
export const sees = (user: TabUser | undefined, page: Page | null): boolean =>
  user === undefined || mayUse(user, holderOf(page))

/**
 * The pages of the browser by tab id, each leased to a user, who has one active tab. A window that a page opens belongs
 * to the user of that page, and is their active tab.
 */
export class Tabs {
  readonly dialogs = new Dialogs()
  readonly #pages = new Map<string, Page>()
  readonly #views = new WeakMap<Page, Map<string, PageView>>()
  /** By owner and lease. */
  readonly #active = new Map<string, Page>()
  /** When each lease was last used, in milliseconds since the epoch. */
  readonly #used = new Map<string, number>()
  /** The tab that was opened or activated last, by whomever. */
  #latest: Page | null = null
  /** Number of tabs ever opened. */
  #opened = 0

  /** Follows the pages of a context. Those of the previous context stay until `move`. */
  attach(context: BrowserContext): void {
    context.on('page', (page) => this.#add(page))
    // Playwright dismisses dialogs without a listener, and a window can open one before its page event.
    context.on('dialog', () => undefined)
  }

  #add(page: Page): void {
    this.#opened += 1
    this.#pages.set(`tab_${this.#opened}`, page)
    this.#latest = page
    this.dialogs.watch(page)
    watchRequests(page)
    page.on('popup', (window) => this.#adopt(window, page))
    page.on('close', () => this.#remove(page))
    // A page whose process has crashed no longer answers.
    page.on('crash', () => {
      this.#remove(page)
      void page.close().catch(() => undefined)
    })
  }

  #remove(page: Page): void {
    const id = this.idOf(page)
    if (id !== null) this.#pages.delete(id)
    if (this.#latest === page) this.#latest = this.#last(undefined)
    for (const [user, active] of this.#active) {
      if (active !== page) continue
      const other = [...this.#pages.values()].findLast((left) => this.#isOf(user, left))
      if (other) this.#active.set(user, other)
      else this.#active.delete(user)
    }
  }

  /** A window has the user of its opener, and is the active tab of everyone whose active tab was the opener. */
  #adopt(window: Page, opener: Page): void {
    const holder = holderOf(opener)
    if (holder) this.lease(window, holder)
    for (const [user, active] of this.#active) if (active === opener) this.#active.set(user, window)
  }

  lease(page: Page, user: TabUser): void {
    holders.set(page, user)
    if (!page.isClosed()) this.#active.set(nameOf(user), page)
  }

  #isOf(user: string, page: Page): boolean {
    const holder = holderOf(page)
    return holder !== null && nameOf(holder) === user
  }

  #visible(user: TabUser | undefined): [string, Page][] {
    return [...this.#pages].filter(([, page]) => sees(user, page))
  }

  #last(user: TabUser | undefined): Page | null {
    return this.#visible(user).at(-1)?.[1] ?? null
  }

  /** Notes that a page is used, which extends its lease. */
  touch(page: Page, now: number): void {
    const holder = holderOf(page)
    if (holder) this.#used.set(leaseOf(holder), now)
  }

  /** Closes the tabs of agents and clients that were last used before this time. Those of people stay. */
  async closeIdle(before: number): Promise<void> {
    for (const [lease, used_at] of this.#used) {
      if (used_at > before || lease.startsWith('person ')) continue
      this.#used.delete(lease)
      await this.release(lease)
    }
  }

  /** Closes the tabs of a lease. */
  release(lease: string): Promise<void> {
    return this.#closeAll((page) => {
      const holder = holderOf(page)
      return holder !== null && leaseOf(holder) === lease
    })
  }

  /** Closes the tabs that a user may use. */
  close(user: TabUser): Promise<void> {
    return this.#closeAll((page) => sees(user, page))
  }

  async #closeAll(matches: (page: Page) => boolean): Promise<void> {
    const pages = [...this.#pages.values()].filter(matches)
    await Promise.all(pages.map((page) => page.close().catch(() => undefined)))
  }

  /** Whether any tab belongs to this owner. */
  isOwner(owner_id: string): boolean {
    return [...this.#pages.values()].some((page) => holderOf(page)?.owner_id === owner_id)
  }

  /** Reopens every tab of a context in another one, with its id. */
  async move(old: BrowserContext, context: BrowserContext): Promise<void> {
    const before = [...this.#pages].filter(([, page]) => page.context() === old)
    const latest = this.#latest
    for (const [id, page] of before) {
      if (page.isClosed()) continue
      const fresh = await context.newPage()
      this.#pages.delete(this.idOf(fresh) ?? '')
      this.#pages.set(id, fresh)
      const holder = holderOf(page)
      if (holder) holders.set(fresh, holder)
      for (const [user, active] of this.#active) if (active === page) this.#active.set(user, fresh)
      const url = page.url()
      if (/^https?:/.test(url))
        await fresh.goto(url, { waitUntil: 'domcontentloaded', timeout: reopenLimit }).catch(() => null)
    }
    const chosen = before.find(([, page]) => page === latest)?.[0]
    this.#latest = chosen === undefined ? latest : this.find(chosen)
  }

  /** The number of tabs that a user sees. */
  size(user?: TabUser): number {
    return this.#visible(user).length
  }

  /** The tab that a user uses. A person may have activated the tab of an agent. */
  active(user?: TabUser): Page | null {
    return user === undefined ? this.#latest : (this.#active.get(nameOf(user)) ?? null)
  }

  /** The tab that is shown to a user: the active one, or else the newest of those that they may see. */
  visiblePage(user?: TabUser): Page | null {
    return this.active(user) ?? this.#last(user)
  }

  /** Null if there is no such tab, or the user may not see it. */
  find(id: string, user?: TabUser): Page | null {
    const page = this.#pages.get(id) ?? null
    return sees(user, page) ? page : null
  }

  idOf(page: Page): string | null {
    return [...this.#pages].find(([, other]) => other === page)?.[0] ?? null
  }

  activate(page: Page, user?: TabUser): void {
    this.#latest = page
    if (user) this.#active.set(nameOf(user), page)
  }

  view(page: Page, user?: TabUser): PageView | null {
    return this.#views.get(page)?.get(nameOf(user)) ?? null
  }

  /**
   * Keeps the last view of each reader; if there are too many readers, the least recently used is dropped.
   */
  setView(page: Page, view: PageView, user?: TabUser): void {
    const reader = nameOf(user)
    const views = this.#views.get(page) ?? new Map<string, PageView>()
    this.#views.set(page, views)
    const before = views.get(reader) ?? null
    views.delete(reader)
    views.set(reader, view.follow(before))
    const [oldest] = views.keys()
    if (views.size > maxReaders && oldest !== undefined) views.delete(oldest)
  }

  openDialogs(user?: TabUser): OpenDialog[] {
    return this.#visible(user).flatMap(([tab_id, page]) => {
      const dialog = this.dialogs.of(page)
      return dialog ? [{ tab_id, ...dialog }] : []
    })
  }

  async list(user?: TabUser): Promise<Tab[]> {
    return Promise.all(this.#visible(user).map(([, page]) => this.describe(page, user)))
  }

  async describe(page: Page, user?: TabUser): Promise<Tab> {
    const tab_id = this.idOf(page) ?? ''
    const holder = holderOf(page)
    const leased_by = holder && { kind: holder.kind, id: holder.id, name: holder.name }
    const title = await titleOf(page, this.dialogs)
    return { id: tab_id, url: page.url(), title, active: page === this.visiblePage(user), leased_by }
  }
}

/** An administrator has other tabs when they work on what belongs to another user. */
const nameOf = (user: TabUser | undefined): string => (user ? `${user.owner_id} ${leaseOf(user)}` : '')

export async function titleOf(page: Page, dialogs: Dialogs): Promise<string> {
  if (dialogs.of(page)) return ''
  return (
    (await inTime(
      titleLimit,
      page.title().catch(() => ''),
    )) ?? ''
  )
}
