import type { BrowserContext, Page } from 'playwright'
import type { Tab } from '../../runtime/browser/schema.ts'
import type { OpenDialog } from '../../runtime/ports/browser.ts'
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

/** The pages of the browser by tab id. A window that a page opens becomes the active tab. */
export class Tabs {
  readonly dialogs = new Dialogs()
  readonly #pages = new Map<string, Page>()
  readonly #views = new WeakMap<Page, Map<string, PageView>>()
  #active: Page | null = null
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
    this.#active = page
    this.dialogs.watch(page)
    watchRequests(page)
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
    if (this.#active === page) this.#active = [...this.#pages.values()].at(-1) ?? null
  }

  /** Reopens every tab in another context, with its id. */
  async move(context: BrowserContext): Promise<void> {
    const before = [...this.#pages]
    const active = this.#active
    this.#pages.clear()
    for (const [id, page] of before) {
      const fresh = await context.newPage()
      this.#pages.delete(this.idOf(fresh) ?? '')
      this.#pages.set(id, fresh)
      if (page === active) this.#active = fresh
      const url = page.url()
      if (/^https?:/.test(url))
        await fresh.goto(url, { waitUntil: 'domcontentloaded', timeout: reopenLimit }).catch(() => null)
    }
    const chosen = before.find(([, page]) => page === active)?.[0]
    this.#active = (chosen === undefined ? null : this.find(chosen)) ?? this.#active
  }

  get size(): number {
    return this.#pages.size
  }

  /** Number of tabs ever opened. */
  get opened(): number {
    return this.#opened
  }

  get active(): Page | null {
    return this.#active
  }

  find(id: string): Page | null {
    return this.#pages.get(id) ?? null
  }

  idOf(page: Page): string | null {
    return [...this.#pages].find(([, other]) => other === page)?.[0] ?? null
  }

  activate(page: Page): void {
    this.#active = page
  }

  view(page: Page, reader = ''): PageView | null {
    return this.#views.get(page)?.get(reader) ?? null
  }

  /**
   * Keeps the last view of each reader; if there are too many readers, the least recently used is dropped.
   */
  setView(page: Page, view: PageView, reader = ''): void {
    const views = this.#views.get(page) ?? new Map<string, PageView>()
    this.#views.set(page, views)
    const before = views.get(reader) ?? null
    views.delete(reader)
    views.set(reader, view.follow(before))
    const [oldest] = views.keys()
    if (views.size > maxReaders && oldest !== undefined) views.delete(oldest)
  }

  openDialogs(): OpenDialog[] {
    return [...this.#pages].flatMap(([tab_id, page]) => {
      const dialog = this.dialogs.of(page)
      return dialog ? [{ tab_id, ...dialog }] : []
    })
  }

  async list(): Promise<Tab[]> {
    return Promise.all([...this.#pages].map(([id, page]) => this.#describe(id, page)))
  }

  async describe(page: Page): Promise<Tab> {
    return this.#describe(this.idOf(page) ?? '', page)
  }

  async #describe(id: string, page: Page): Promise<Tab> {
    return { id, url: page.url(), title: await titleOf(page, this.dialogs), active: page === this.#active }
  }
}

export async function titleOf(page: Page, dialogs: Dialogs): Promise<string> {
  if (dialogs.of(page)) return ''
  return (
    (await inTime(
      titleLimit,
      page.title().catch(() => ''),
    )) ?? ''
  )
}
