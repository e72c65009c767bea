import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { Dialogs } from '../../../adapters/browser/page/dialogs.ts'
import { watchRequests } from '../../../adapters/browser/page/navigation.ts'
import { perform } from '../../../adapters/browser/page/perform.ts'
import { type PageView, render, viewPage } from '../../../adapters/browser/page/snapshot.ts'
import { BrowserFailure, type SnapshotOptions } from '../../../runtime/ports/browser.ts'
import type { Action } from '../../../runtime/tabs/schema.ts'
import { launchChromium } from '../../support/browser.ts'

const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'browser')

/** Milliseconds that the slow page takes to begin to answer. */
const slowness = 600

/** Pages that are no files. `leads` goes with its first script to the address that it is given, `framed` shows another. */
const made: Readonly<Record<string, (url: URL) => string>> = {
  '/slow': () => '<title>slow page</title><button>Late</button>',
  '/framed': ({ searchParams }) =>
    `<title>framed</title><iframe src="${searchParams.get('of')}" width=900 height=1200></iframe>`,
  '/leads': ({ searchParams }) =>
    `<title>leads</title><button>Stay</button><script>location.href = ${JSON.stringify(searchParams.get('to'))}</script>`,
}

/** The pages of this folder; `slow` answers late, `slow?poll` never, `nothing` with no page. */
export async function serve(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    if (url.search === '?poll') return
    if (url.pathname === '/nothing') return void response.writeHead(204).end()
    if (url.pathname === '/slow') await new Promise((resolve) => setTimeout(resolve, slowness))
    const text = (made[url.pathname] ?? (() => null))(url) ?? (await page(url.pathname))
    response.writeHead(text === null ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(text ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const page = (path: string): Promise<string | null> => readFile(join(folder, path), 'utf8').catch(() => null)

/** A page that is driven as the session does it: by the numbers of its last snapshot. */
export class Driver {
  readonly page: Page
  readonly dialogs = new Dialogs()
  readonly origin: string
  view: PageView | null = null
  text = ''

  constructor(page: Page, origin: string) {
    this.page = page
    this.origin = origin
    this.dialogs.watch(page)
    watchRequests(page)
  }

  async look(options: SnapshotOptions = {}): Promise<string> {
    const before = this.view
    this.view = (await viewPage(this.page)).follow(before)
    this.text = render(this.view, options, before).snapshot
    return this.text
  }

  /** The number of the line that holds this text. Looks again when the last snapshot has none. */
  async index(text: string): Promise<number> {
    for (let left = 20; ; left -= 1) {
      const line = this.text.split('\n').find((one) => one.includes(text))
      if (line) return Number(/^\[(\d+)\]/.exec(line)?.[1])
      if (left === 0) throw new Error(`no line has "${text}" in\n${this.text}`)
      await this.look()
    }
  }

  async act(action: Omit<Action, 'action'> & { action: string }): Promise<void> {
    const { page, dialogs, view } = this
    const allow = async (url: string) => {
      if (/^https?:/.test(url)) return url
      throw new BrowserFailure('blocked_url', 'no', 'no')
    }
    await perform({ page, action: action as Action, dialogs, view, allow })
  }

  /** Acts on the line that holds this text. */
  async on(text: string, action: string, more: Partial<Action> = {}): Promise<void> {
    await this.act({ action, index: await this.index(text), ...more })
  }

  /** How an act on that line fails. */
  async failure(run: Promise<unknown>): Promise<{ code: string; hint: string }> {
    try {
      await run
    } catch (thrown) {
      if (thrown instanceof BrowserFailure) return { code: thrown.code, hint: thrown.hint }
      throw thrown
    }
    return { code: 'none', hint: '' }
  }

  /** What the page has noted of itself. */
  out(): Promise<string> {
    return this.page.locator('#out').innerText()
  }
}

export interface Bench {
  browser: Browser
  open(name: string): Promise<Driver>
  close(): Promise<void>
}

/** A real Chromium, and the pages on the loopback. */
export async function openBench(): Promise<Bench> {
  const [browser, server] = await Promise.all([launchChromium(), serve()])
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
  return {
    browser,
    async open(name) {
      for (const old of context.pages()) await old.close({ runBeforeUnload: false })
      const opened = await context.newPage()
      const driver = new Driver(opened, origin)
      await opened.goto(`${origin}/${name}.html`, { waitUntil: 'load' })
      await driver.look()
      return driver
    },
    async close() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
