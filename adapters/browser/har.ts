import type { BrowserContext, Page, Request } from 'playwright'
import type { Clock } from '../../runtime/ports/clock.ts'
import { iso } from '../../runtime/time.ts'
import { hideEntry } from './har-credentials.ts'
import { entryOf, type HarEntry } from './har-entry.ts'

/** Entries of one archive; what comes after is left out. */
const mostEntries = 5_000
/** Bytes of all bodies together. */
const mostBodies = 64 * 1024 * 1024

interface HarPage {
  startedDateTime: string
  id: string
  title: string
  pageTimings: { onContentLoad: number | null; onLoad: number | null }
}

/** Writes down what the pages load, from now on: http://www.softwareishard.com/blog/har-12-spec */
export class HarRecorder {
  readonly #clock: Pick<Clock, 'now'>
  readonly #started_at: number
  readonly #contexts = new Set<BrowserContext>()
  readonly #entries: Promise<HarEntry | null>[] = []
  readonly #pages = new Map<Page, HarPage>()
  #room = mostBodies

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#started_at = clock.now()
  }

  get standing(): { started_at: number; entries: number } {
    return { started_at: this.#started_at, entries: this.#entries.length }
  }

  attach(context: BrowserContext): void {
    this.#contexts.add(context)
    context.on('request', this.#see)
    context.on('requestfinished', this.#write)
    context.on('requestfailed', this.#write)
  }

  detach(): void {
    for (const context of this.#contexts) {
      context.off('request', this.#see)
      context.off('requestfinished', this.#write)
      context.off('requestfailed', this.#write)
    }
  }

  /** The archive. Credentials are blanked unless they are to be kept. */
  async stop(options: {
    keep_credentials: boolean
    creator: { name: string; version: string }
  }): Promise<unknown> {
    this.detach()
    const entries = (await Promise.all(this.#entries)).filter((entry) => entry !== null)
    const shown = options.keep_credentials ? entries : entries.map(hideEntry)
    const pages = await Promise.all([...this.#pages].map(([page, about]) => titled(page, about)))
    const sorted = shown.toSorted((left, right) => left.startedDateTime.localeCompare(right.startedDateTime))
    return { log: { version: '1.2', creator: options.creator, pages, entries: sorted } }
  }

  readonly #see = (request: Request): void => {
    const page = pageOf(request)
    if (!page || this.#pages.has(page)) return
    this.#pages.set(page, {
      startedDateTime: iso(this.#clock.now()),
      id: `page_${this.#pages.size + 1}`,
      title: '',
      pageTimings: { onContentLoad: null, onLoad: null },
    })
  }

  readonly #write = (request: Request): void => {
    if (this.#entries.length >= mostEntries) return
    const page = pageOf(request)
    const pageref = page && this.#pages.get(page)?.id
    const take = (bytes: number) => {
      if (bytes > this.#room) return false
      this.#room -= bytes
      return true
    }
    this.#entries.push(entryOf(request, { pageref, take }).catch(() => null))
  }
}

/** A worker's request belongs to no page. */
function pageOf(request: Request): Page | null {
  try {
    return request.frame().page()
  } catch {
    return null
  }
}

async function titled(page: Page, about: HarPage): Promise<HarPage> {
  const timings = await page
    .evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const end = (time: number | undefined) => (time ? Math.round(time) : null)
      return {
        title: document.title,
        onContentLoad: end(entry?.domContentLoadedEventEnd),
        onLoad: end(entry?.loadEventEnd),
      }
    })
    .catch(() => ({ title: '', onContentLoad: null, onLoad: null }))
  const { title, ...pageTimings } = timings
  return { ...about, title, pageTimings }
}
