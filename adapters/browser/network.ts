import type { BrowserContext, Page, Request, Route } from 'playwright'
import { defaultConfig } from '../../runtime/config.ts'
import type { ConsoleLine, TabUser } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { hideInUrl } from '../../runtime/secrets/traffic.ts'
import { mayUse } from '../../runtime/tabs/holder.ts'
import type { Mock, NetworkRequest } from '../../runtime/tabs/schema.ts'
import { HarRecorder } from './har.ts'
import type { Part } from './profiles.ts'
import { RequestLog } from './request-log.ts'
import { sees } from './tabs.ts'

const creator = { name: 'hearthd', version: defaultConfig.version }

/** The network traffic of pages: the request log, and the HAR and mocks of each owner. */
export class Network implements Part {
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: RequestLog
  readonly #owners = new Map<string, OwnerTraffic>()

  /** @param refusalOf why the guard refused the last request to a host; null if it did not */
  constructor(clock: Pick<Clock, 'now'>, refusalOf: (url: URL) => string | null) {
    this.#clock = clock
    const mockedSize = (request: Request) => mockedSizes.get(request) ?? null
    this.#log = new RequestLog({ now: () => clock.now(), refusalOf, mockedSize })
  }

  async attach(context: BrowserContext, owner_id: string): Promise<void> {
    this.#log.attach(context)
    await this.of(owner_id).attach(context)
  }

  requests(user?: TabUser): NetworkRequest[] {
    return this.#log.list(user)
  }

  of(owner_id: string): OwnerTraffic {
    const existing = this.#owners.get(owner_id)
    const traffic = existing ?? new OwnerTraffic(this.#clock)
    if (!existing) this.#owners.set(owner_id, traffic)
    return traffic
  }
}

/** The HAR and mocks of one owner, for all contexts that their profile has. */
class OwnerTraffic {
  readonly mocks = new Mocks()
  readonly #clock: Pick<Clock, 'now'>
  readonly #contexts = new Set<BrowserContext>()
  #har: HarRecorder | null = null

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  async attach(context: BrowserContext): Promise<void> {
    this.#contexts.add(context)
    context.on('close', () => this.#contexts.delete(context))
    this.#har?.attach(context)
    await this.mocks.attach(context)
  }

  /** Records the pages of a user. Restarts a HAR that is being recorded. */
  startHar(user?: TabUser): void {
    this.#har?.detach()
    this.#har = new HarRecorder(this.#clock, user)
    for (const context of this.#contexts) this.#har.attach(context)
  }

  /** Null if this user has started none. */
  async stopHar({ keep_credentials }: { keep_credentials: boolean }, user?: TabUser): Promise<unknown> {
    const har = this.#har
    if (user && har?.user && !mayUse(user, har.user)) return null
    this.#har = null
    return har ? har.stop({ keep_credentials, creator }) : null
  }

  /** The HAR being recorded. */
  get har(): { started_at: number; entries: number } | null {
    return this.#har?.status ?? null
  }
}

/** Bytes of mocked responses. */
const mockedSizes = new WeakMap<Request, number>()

/** Each request is matched against all of them. */
const maxMocks = 200

const everything = () => true

/** The mocked responses of one owner, to documents, scripts and fetches alike. */
export class Mocks {
  readonly #contexts = new Set<BrowserContext>()
  #mocks: { matches: RegExp; mock: Mock }[] = []

  /** Without mocks nothing is intercepted, as that disables the cache. */
  async attach(context: BrowserContext): Promise<void> {
    this.#contexts.add(context)
    context.on('close', () => this.#contexts.delete(context))
    if (this.#mocks.length > 0) await context.route(everything, this.#answer)
  }

  /** The newest mock that matches wins. */
  async add(mock: Mock): Promise<void> {
    const first = this.#mocks.length === 0
    this.#mocks = [{ matches: globToPattern(mock.url_pattern), mock }, ...this.#mocks].slice(0, maxMocks)
    if (!first) return
    for (const context of this.#contexts) await context.route(everything, this.#answer)
  }

  list(): Mock[] {
    return this.#mocks.map(({ mock }) => mock)
  }

  /** Returns the number of mocks removed. */
  async clear(): Promise<number> {
    const count = this.#mocks.length
    this.#mocks = []
    if (count === 0) return 0
    for (const context of this.#contexts) await context.unroute(everything, this.#answer)
    return count
  }

  readonly #answer = async (route: Route): Promise<void> => {
    const request = route.request()
    const mock = this.#mocks.find(({ matches }) => matches.test(request.url()))?.mock
    if (!mock) return route.fallback()
    const body = Buffer.from(mock.body)
    mockedSizes.set(request, body.byteLength)
    await route.fulfill({ status: mock.status_code, headers: headersOf(mock), body }).catch(() => undefined)
  }
}

/** Playwright adds the headers for other origins, unless the mock has them. */
function headersOf({ headers, body }: Mock): Record<string, string> {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { 'content-type': mediaTypeOf(body), 'cache-control': 'no-store', ...named }
}

function mediaTypeOf(body: string): string {
  if (/^\s*[[{]/.test(body)) return 'application/json; charset=utf-8'
  return /^\s*</.test(body) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}

/**
 * The pattern of a glob over whole addresses: `*` and `**` match anything, `?` itself, `{a,b}` either. A glob without a
 * scheme matches the end of any address.
 */
export function globToPattern(glob: string): RegExp {
  const whole = /^[\w+.-]+:|^\*/.test(glob) ? glob : `**${glob.startsWith('/') ? '' : '/'}${glob}`
  let source = ''
  let depth = 0
  for (const [part] of whole.matchAll(/\*+|[\s\S]/g)) {
    if (part.startsWith('*')) source += '.*'
    else if (part === '{') [source, depth] = [`${source}(?:`, depth + 1]
    else if (part === '}' && depth > 0) [source, depth] = [`${source})`, depth - 1]
    else if (part === ',' && depth > 0) source += '|'
    else source += part.replace(/[.+^$()|[\]\\?{}]/g, '\\$&')
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 's')
}

const maxLines = 1_000
const longestLine = 10_000

/** The latest console messages of pages, and their uncaught errors. */
export class ConsoleLog implements Part {
  readonly #clock: Clock
  readonly #pages = new WeakMap<ConsoleLine, Page>()
  #lines: ConsoleLine[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  attach(context: BrowserContext): void {
    context.on('console', (message) => {
      const url = message.location().url || null
      this.#add({ level: message.type(), text: message.text(), url }, message.page())
    })
    context.on('weberror', (error) => {
      const { message } = error.error()
      this.#add({ level: 'error', text: message, url: error.page()?.url() ?? null }, error.page())
    })
  }

  /** The lines of the pages that a user sees. */
  lines(user?: TabUser): ConsoleLine[] {
    return this.#lines.filter((line) => sees(user, this.#pages.get(line) ?? null))
  }

  #add(line: Omit<ConsoleLine, 'at'>, page: Page | null): void {
    const at = new Date(this.#clock.now()).toISOString()
    const text = hideInText(line.text.slice(0, longestLine))
    const kept = { ...line, text, url: line.url && hideInUrl(line.url), at }
    if (page) this.#pages.set(kept, page)
    this.#lines.push(kept)
    if (this.#lines.length > maxLines) this.#lines = this.#lines.slice(-maxLines)
  }
}

/** Chromium's own messages contain addresses. */
const hideInText = (text: string): string => text.replace(/\b(?:https?|wss?):\/\/[^\s'"<>`]+/g, hideInUrl)
