import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { NewKey } from '../../runtime/auth/schema.ts'
import { Fault } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { type Match, RouteTable } from '../../runtime/http/router.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { serve } from '../../runtime/http/serve.ts'
import { character } from '../support/characters.ts'
import { endpoints, sockets } from '../support/endpoints.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const origin = 'http://127.0.0.1:18781'
const seed = 20_260_105

interface Route {
  method: string
  path: string
}

const route = (method: string, path: string): Route => ({ method, path })

const small = [
  route('GET', '/health'),
  route('GET', '/api/'),
  route('GET', '/api/things'),
  route('POST', '/api/things'),
  route('GET', '/api/things/{id}'),
  route('GET', '/api/things/special'),
  route('DELETE', '/api/things/{id}'),
  route('GET', '/api/things/{id}/parts/{part_id}'),
  route('GET', '/api/things.json'),
]

const find = (table: RouteTable<Route>, method: string, path: string) => table.find(method, origin + path)

/** What the answer would be: the route and its parameters, or the status of the refusal. */
async function outcome(found: Promise<Match<Route>>): Promise<string> {
  try {
    const { route: matched, params } = await found
    return `${matched.method} ${matched.path} ${JSON.stringify(params)}`
  } catch (thrown) {
    if (thrown instanceof Fault) return String(thrown.status)
    throw thrown
  }
}

describe('a small table', () => {
  const table = new RouteTable(routesOf(small))
  const at = (method: string, path: string) => outcome(find(table, method, path))

  test.each([
    ['GET', '/health', 'GET /health {}'],
    ['HEAD', '/health', 'GET /health {}'],
    ['GET', '/api', 'GET /api/ {}'],
    ['GET', '/api/things/', 'GET /api/things {}'],
    ['GET', '/api/things/special', 'GET /api/things/special {}'],
    ['GET', '/api/things/a', 'GET /api/things/{id} {"id":"a"}'],
    ['GET', '/api/things/a%2Fb', 'GET /api/things/{id} {"id":"a/b"}'],
    ['GET', '/api/things/a%2fparts%2fb', 'GET /api/things/{id} {"id":"a/parts/b"}'],
    ['GET', '/api/things/%2541', 'GET /api/things/{id} {"id":"%41"}'],
    ['GET', '/api/things/gr%C3%BC%C3%9Fe', 'GET /api/things/{id} {"id":"grüße"}'],
    ['GET', '/api/things/__proto__', 'GET /api/things/{id} {"id":"__proto__"}'],
    ['GET', '/api/things/a;b', 'GET /api/things/{id} {"id":"a;b"}'],
    ['GET', '/api/things/{id}', 'GET /api/things/{id} {"id":"{id}"}'],
    ['GET', '/api/things/:id', 'GET /api/things/{id} {"id":":id"}'],
    ['GET', '/api/things/a/parts/b', 'GET /api/things/{id}/parts/{part_id} {"id":"a","part_id":"b"}'],
    ['GET', '/api/things.json', 'GET /api/things.json {}'],
    ['GET', '/api/things/x/../special', 'GET /api/things/special {}'],
    ['GET', '/api/things/%2e%2e/things', 'GET /api/things {}'],
    ['GET', '/api/thingsXjson', '404'],
    ['GET', '/api/things//', 'GET /api/things {}'],
    ['GET', '//api/things', '404'],
    ['GET', '/api//things', '404'],
    ['GET', '/api/things//parts/b', '404'],
    ['GET', '/API/things', '404'],
    ['GET', '/%61pi/things', '404'],
    ['GET', '/api/things/a/parts', '404'],
    ['GET', '/', '404'],
    ['GET', '/api/things/%00', '400'],
    ['GET', '/api/things/%ff', '400'],
    ['GET', '/api/things/%c0%ae', '400'],
    ['GET', '/api/things/%', '400'],
    ['PUT', '/api/things', '405'],
    ['patch', '/api/things', '405'],
    ['PROPFIND', '/api/things', '405'],
    ['__proto__', '/api/things', '405'],
    ['PUT', '/api/nothing', '404'],
  ])('%s %s → %s', async (method, path, expected) => {
    expect(await at(method, path)).toBe(expected)
  })

  test('a 405 names the methods that the path allows', async () => {
    const refused = await find(table, 'PUT', '/api/things').catch((thrown: unknown) => thrown)
    expect((refused as Fault).headers).toEqual({ allow: 'HEAD, GET, POST' })
  })
})

const pieces = fc.oneof(
  fc.constantFrom(...new Set([...endpoints, ...sockets].flatMap(({ path }) => path.split('/').filter(Boolean)))),
  fc.constantFrom(
    '',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2f',
    'a%2fb',
    '%5c',
    '\\',
    '%00',
    '%ff',
    '%',
    '%25',
    '%252e',
  ),
  fc.constantFrom(
    ';',
    'x;y',
    '*',
    '+',
    ':id',
    '{id}',
    '__proto__',
    'constructor',
    '?',
    '#',
    '%3f',
    '%23',
    '@',
    'api',
    'API',
  ),
  fc.string({ unit: character, maxLength: 6 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ unit: 'grapheme-ascii', maxLength: 6 }),
)

const spelling = fc.tuple(
  fc.constantFrom('/', '//', '/api/', '/api//', '/api/./', '/x/../api/'),
  fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('/')),
  fc.constantFrom('', '/', '//', '?', '?x=/api/auth/keys', '#/health'),
)
const real: Route[] = [...endpoints, ...sockets]

/** A path of the table with anything in the place of its parameters, and a little bent. */
const bent = fc
  .tuple(fc.constantFrom(...real), fc.array(pieces, { minLength: 3, maxLength: 3 }), fc.nat(30), fc.nat(30))
  .map(([{ path }, values, at, how]) => {
    const filled = path.split('/').map((part) => (part.startsWith('{') ? (values.pop() ?? '') : part))
    const bends = ['', '.', 'x/..', '%2e', '..']
    const bend = bends[how]
    if (bend !== undefined) filled.splice(1 + (at % filled.length), 0, bend)
    return filled.join('/')
  })

const paths = fc.oneof(
  spelling.map((parts) => parts.join('')),
  bent,
)
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')

const segmentsOf = (path: string) => path.replace(/\/+$/, '').split('/')

/** Split once, because each of many paths is compared with all of them. */
const split = real.map((one) => ({ one, own: segmentsOf(one.path) }))

/** The rule in other words: segment by segment, literals first, nothing decoded, slashes at the end ignored. */
function reference(method: string, path: string): Route | 400 | 404 | 405 {
  const given = segmentsOf(new URL(origin + path).pathname)
  const fits = split
    .filter(
      ({ own }) =>
        own.length === given.length &&
        own.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index])),
    )
    .map(({ one }) => one)
  const wanted = method === 'HEAD' ? 'GET' : method
  const parameters = ({ path }: Route) =>
    segmentsOf(path)
      .map((part) => Number(part.startsWith('{')))
      .join('')
  const [match] = fits
    .filter((one) => one.method === wanted)
    .toSorted((left, right) => parameters(left).localeCompare(parameters(right)))
  const readable = (one: Route) =>
    segmentsOf(one.path).every((part, index) => !part.startsWith('{') || isText(given[index] ?? ''))
  if (match) return readable(match) ? match : 400
  return fits.some(readable) ? 405 : 404
}

function isText(segment: string): boolean {
  try {
    return !decodeURIComponent(segment).includes('\u0000')
  } catch {
    return false
  }
}

test('however a path is spelled, it leads to the route of its segments, or to none', async () => {
  const table = new RouteTable(routesOf(real))
  const property = fc.asyncProperty(methods, paths, async (method, path) => {
    const expected = reference(method, path)
    const found = await find(table, method, path).catch((thrown: unknown) => thrown)
    if (typeof expected === 'number') expect((found as Fault).status).toBe(expected)
    else expect((found as Match<Route>).route).toBe(expected)
  })
  await fc.assert(property, { numRuns: 20_000, seed })
})

describe('access', () => {
  let host: Awaited<ReturnType<typeof testHost>>
  let reader = ''

  beforeAll(async () => {
    host = await testHost()
    await setUpAdmin(host)
    const narrow = NewKey.parse({ name: 'Reader', scopes: ['read'] })
    reader = (await createKey(localContext(host), narrow)).key
  })

  /** The real routes and access, saying which of them was reached. */
  const probes = endpoints.map(({ method, path, summary, access }) =>
    endpoint(`${method} ${path}`, {
      summary,
      access,
      idempotent: false,
      returns: z.object({ access: z.string() }),
      run: () => ({ access }),
    }),
  )
  const handle = serve(routesOf(probes))

  test('is that of the matched route, however the path is spelled', async () => {
    const reached = new Set<string>()
    const property = fc.asyncProperty(methods, paths, async (method, path) => {
      const headers = { authorization: `Bearer ${reader}` }
      const request = new Request(origin + path, { method, headers })
      const response = await handle(request, host, { address: '10.0.0.1', local: false })
      expect([200, 400, 401, 403, 404, 405, 409]).toContain(response.status)
      if (response.status !== 200 || method === 'HEAD') return
      const { access } = (await response.json()) as { access: string }
      reached.add(access)
      expect(['read', 'public', 'monitor']).toContain(access)
    })
    await fc.assert(property, { numRuns: 5_000, seed })
    expect([...reached].toSorted()).toEqual(['monitor', 'public', 'read'])
  })
})
