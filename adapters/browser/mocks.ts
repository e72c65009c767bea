import type { BrowserContext, Request, Route } from 'playwright'
import type { Mock } from '../../runtime/browser/schema.ts'

/** More would make each request of each page slow. */
const mostMocks = 200

const everything = () => true

/** Answers that are given in place of the network's, to documents, scripts and fetches alike. */
export class Mocks {
  readonly #contexts = new Set<BrowserContext>()
  readonly #answered = new WeakMap<Request, number>()
  #mocks: { matches: RegExp; mock: Mock }[] = []

  /** Where there is no mock nothing is intercepted, for that would cost the pages their cache. */
  async attach(context: BrowserContext): Promise<void> {
    this.#contexts.add(context)
    context.on('close', () => this.#contexts.delete(context))
    if (this.#mocks.length > 0) await context.route(everything, this.#answer)
  }

  /** The newest mock wins where several match. */
  async add(mock: Mock): Promise<void> {
    const first = this.#mocks.length === 0
    this.#mocks = [{ matches: globToPattern(mock.url_pattern), mock }, ...this.#mocks].slice(0, mostMocks)
    if (!first) return
    for (const context of this.#contexts) await context.route(everything, this.#answer)
  }

  list(): Mock[] {
    return this.#mocks.map(({ mock }) => mock)
  }

  /** How many there were. Requests go out again. */
  async clear(): Promise<number> {
    const count = this.#mocks.length
    this.#mocks = []
    if (count === 0) return 0
    for (const context of this.#contexts) await context.unroute(everything, this.#answer)
    return count
  }

  /** Bytes that a mock answered with; null when none did. */
  readonly sizeOf = (request: Request): number | null => this.#answered.get(request) ?? null

  readonly #answer = async (route: Route): Promise<void> => {
    const request = route.request()
    const found = this.#mocks.find(({ matches }) => matches.test(request.url()))?.mock
    if (!found) return route.fallback()
    const body = Buffer.from(found.body)
    this.#answered.set(request, body.byteLength)
    await route.fulfill({ status: found.status_code, headers: headersOf(found), body }).catch(() => undefined)
  }
}

/** The driver itself adds what lets a page of another origin read the answer, unless the mock says otherwise. */
function headersOf({ headers, body }: Mock): Record<string, string> {
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { 'content-type': mediaTypeOf(body), 'cache-control': 'no-store', ...named }
}

function mediaTypeOf(body: string): string {
  if (/^\s*[[{]/.test(body)) return 'application/json; charset=utf-8'
  return /^\s*</.test(body) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}

/**
 * A glob over whole addresses: `*` and `**` stand for anything, `?` for itself, `{a,b}` for either. Without a scheme it
 * fits the end of any address.
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
