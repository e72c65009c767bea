import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright'
import type { Action, Snapshot } from '../../runtime/browser/schema.ts'
import type { ActedEvent, SnapshotOptions } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import { allowAddress } from './address.ts'
import { perform } from './page/perform.ts'
import { tell, viewPage } from './page/snapshot.ts'
import type { Locate } from './proxy.ts'
import { Tabs, titleOf } from './tabs.ts'

export interface SessionParts {
  browser: Browser
  locate: Locate
  options: BrowserContextOptions
}

/** One open Chromium with its one context. */
export class Session {
  readonly context: BrowserContext
  readonly tabs: Tabs
  readonly started_at = Date.now()
  readonly #browser: Browser
  readonly #locate: Locate

  private constructor({ browser, locate }: SessionParts, context: BrowserContext) {
    this.#browser = browser
    this.#locate = locate
    this.context = context
    this.tabs = new Tabs(context)
  }

  static async open(parts: SessionParts): Promise<Session> {
    return new Session(parts, await parts.browser.newContext(parts.options))
  }

  get alive(): boolean {
    return this.#browser.isConnected()
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }

  /** The tab of that name, else the active one; the first is opened when there is none. */
  async page(id?: string): Promise<Page> {
    const page = id === undefined ? this.tabs.active : this.tabs.find(id)
    if (page) return page
    if (id === undefined) return this.context.newPage()
    throw new BrowserFailure('element_not_found', `There is no tab ${id}`, 'List the tabs to see their ids')
  }

  async act(action: Action, signal?: AbortSignal): Promise<{ page: Page; url: string; title: string }> {
    const page = await this.page(action.tab_id)
    const { dialogs } = this.tabs
    const allow = (url: string) => allowAddress(url, this.#locate)
    await perform({ page, action, dialogs, view: this.tabs.view(page), allow }, signal)
    const shown = action.tab_id === undefined ? (this.tabs.active ?? page) : page
    return { page: shown, url: shown.url(), title: await titleOf(shown, dialogs) }
  }

  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    const page = await this.page(options.tab_id)
    const dialog = this.tabs.dialogs.of(page)
    const about = { url: page.url(), title: await titleOf(page, this.tabs.dialogs), dialog }
    if (dialog) return { snapshot: '', element_count: 0, truncated: false, ...about }
    const before = this.tabs.view(page)
    const view = await viewPage(page)
    const told = tell(view, options, before)
    this.tabs.setView(page, view)
    return { ...told, ...about }
  }
}

export type ActListener = (event: ActedEvent) => void
