import type { BrowserContext, Page } from 'playwright'
import type { Tab } from '../../runtime/browser/schema.ts'
import { Dialogs } from './page/dialogs.ts'
import type { PageView } from './page/snapshot.ts'

/** Milliseconds that a page may take to tell its title: one with an open dialog never does. */
const titleLimit = 500

/** The pages of one browser under names of their own; what a page opens becomes a tab too, and the active one. */
export class Tabs {
  readonly dialogs = new Dialogs()
  readonly #pages = new Map<string, Page>()
  readonly #views = new WeakMap<Page, PageView>()
  #active: Page | null = null
  #opened = 0

  constructor(context: BrowserContext) {
    context.on('page', (page) => this.#add(page))
    for (const page of context.pages()) this.#add(page)
  }

  #add(page: Page): void {
    this.#opened += 1
    this.#pages.set(`tab_${this.#opened}`, page)
    this.#active = page
    this.dialogs.watch(page)
    page.on('close', () => this.#remove(page))
  }

  #remove(page: Page): void {
    const id = this.idOf(page)
    if (id !== null) this.#pages.delete(id)
    if (this.#active === page) this.#active = [...this.#pages.values()].at(-1) ?? null
  }

  get size(): number {
    return this.#pages.size
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

  view(page: Page): PageView | null {
    return this.#views.get(page) ?? null
  }

  /** What numbers mean from now on; the nodes of the view before are let go. */
  setView(page: Page, view: PageView): void {
    const before = this.#views.get(page)
    this.#views.set(page, view)
    void before?.forget()
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
  const { promise, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(''), titleLimit)
  try {
    return await Promise.race([page.title().catch(() => ''), promise])
  } finally {
    clearTimeout(timer)
  }
}
