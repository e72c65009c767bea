import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { serve } from '../../runtime/http/serve.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'

const hello = endpoint('GET /hello/{name}', {
  summary: 'Says hello',
  access: 'public',
  returns: z.object({ hello: z.string() }),
  async run({ params }, context) {
    const { name } = params
    if (name === 'bug') throw new Error('the secret is 42')
    if (name === 'later') await context.clock.after(1_000, context.signal)
    return { hello: name }
  },
})

const program = serve(routesOf([hello]))

async function usedHost() {
  const host = await testHost()
  await setUpAdmin(host)
  return host
}

async function ask(path: string, init: RequestInit = {}, host = usedHost()) {
  const kept = await host
  const response = await program(new Request(`http://127.0.0.1:18781${path}`, init), kept, peer)
  return { response, host: kept, text: await response.text() }
}

test.each([
  ['an answer', '/hello/you', {}, 200],
  ['a preflight', '/hello/you', { method: 'OPTIONS' }, 204],
  ['an unknown path', '/nowhere', {}, 404],
  ['a wrong method', '/hello/you', { method: 'POST' }, 405],
  ['a bug of ours', '/hello/bug', {}, 500],
] as const)('%s carries the security headers and an id', async (_, path, init, status) => {
  const { response } = await ask(path, init)

  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...securityHeaders,
    'cache-control': 'no-store',
  })
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
})

test('a bug reveals nothing, and its log line has the request id of the answer', async () => {
  const { response, host, text } = await ask('/hello/bug', { headers: { 'x-request-id': 'req-7' } })

  expect(JSON.parse(text)).toMatchObject({ error: 'internal_error', status: 500 })
  expect(text).not.toContain('42')
  expect(response.headers.get('x-request-id')).toBe('req-7')
  expect(host.log.lines.find(({ level }) => level === 'error')).toMatchObject({
    fields: { request_id: 'req-7', cause: expect.stringContaining('the secret is 42') },
  })
})

test('a request aborted by its caller is not an error in the log', async () => {
  const gone = new AbortController()
  const asked = ask('/hello/later', { signal: gone.signal })
  gone.abort()
  const { response, host, text } = await asked

  expect(response.status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ error: 'unavailable', status: 503 })
  expect(host.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('an id that could forge a log line is replaced', async () => {
  const { response } = await ask('/hello/you', { headers: { 'x-request-id': 'a b' } })
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
})

test('HEAD is GET without the body', async () => {
  const { response, text } = await ask('/hello/you', { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type'), text]).toEqual([200, 'application/json', ''])
})

test('requests are measured by route and known method, never by values that a caller invented', async () => {
  const host = testHost()
  for (const [path, method] of [
    ['/hello/ada', 'GET'],
    ['/hello/bob', 'GET'],
    ['/made/up', 'MADEUP1'],
    ['/made/up/too', 'MADEUP2'],
  ])
    await ask(path ?? '', { method }, host)
  const text = await (await host).metrics.text()

  expect(text).not.toMatch(/ada|bob|made|MADE/)
  expect(text).toContain('route="/hello/{name}"')
  expect(text).toContain('method="other",route="unknown"')
})
