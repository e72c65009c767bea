import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Outbound, OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { hostileHosts, hostileUrls } from '../adapters/outbound/hostile.ts'
import { type LocalServer, startServer } from '../adapters/outbound/servers.ts'

export interface GuardSettings {
  allowlist?: string[]
  blocklist?: string[]
}

/** What every guard must do, whether or not it can see the addresses of a name. */
export function outboundContract(create: (settings?: GuardSettings) => Outbound): void {
  let server: LocalServer
  let canary: LocalServer
  beforeAll(async () => {
    server = await startServer()
    canary = await startServer()
  })
  afterAll(() => Promise.all([server.close(), canary.close()]))

  const redirect = (status: number, to: string) => `${server.origin}/redirect/${status}?to=${encodeURIComponent(to)}`
  const echo = async (response: Response) => (await response.json()) as Echo
  const trusted = () => ({ trusted_origins: [server.origin] })

  describe('refuses', () => {
    test('the canary works: without the guard, a request arrives', async () => {
      const lure = await startServer()
      for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '１２７.1', '0'])
        await fetch(`http://${host}:${lure.port}/`)

      expect(lure.requests).toHaveLength(5)
      await lure.close()
    })

    test.each(hostileHosts)('the host %j', async (host) => {
      await expect(create().fetch(`http://${host}:${canary.port}/`)).rejects.toThrow(OutboundBlocked)
      expect(canary.connections()).toBe(0)
    })

    test.each(hostileUrls)('the URL %j', async (form) => {
      const url = form.replaceAll('CANARY', String(canary.port))

      await expect(create().fetch(url)).rejects.toThrow(OutboundBlocked)
      expect(canary.connections()).toBe(0)
    })

    test.each(['ws://127.0.0.1', 'wss://localhost', 'ws://[::1]', 'http://example.com', 'file:///etc/passwd'])(
      'a socket to %s',
      async (address) => {
        const opening = create().openSocket(address.startsWith('ws') ? `${address}:${canary.port}/` : address, {
          signal: new AbortController().signal,
          max_message_bytes: 1_000,
        })

        await expect(opening).rejects.toThrow(OutboundBlocked)
        expect(canary.connections()).toBe(0)
      },
    )

    test('reports the rule, not the network', async () => {
      const refusal = create().fetch(`http://10.1.2.3:${canary.port}/`)

      await expect(refusal).rejects.toThrow('private addresses are not allowed')
      await expect(refusal).rejects.not.toThrow('10.1.2.3')
    })

    test('a trusted origin is that scheme, host and port alone', async () => {
      for (const origin of [canary.origin, server.origin.replace('http', 'https'), `http://127.0.0.2:${server.port}`]) {
        await expect(create().fetch(origin, {}, trusted())).rejects.toThrow(OutboundBlocked)
      }
      expect(canary.connections()).toBe(0)
    })

    test('an address on the blocklist, even if trusted and allowed', async () => {
      for (const entry of ['127.0.0.1', '127.0.0.0/8', `127.0.0.1:${server.port}`, server.origin]) {
        const guard = create({ allowlist: ['127.0.0.0/8'], blocklist: [entry] })

        await expect(guard.fetch(server.origin, {}, trusted())).rejects.toThrow('blocklist')
      }
    })

    test('an invalid list entry', () => {
      expect(() => create({ allowlist: ['http://a b'] })).toThrow('"http://a b" is not a host')
      expect(() => create({ blocklist: ['10.0.0.0/33'] })).toThrow('"10.0.0.0/33" is not a host')
    })
  })

  describe('redirects', () => {
    const statuses = [301, 302, 303, 307, 308]
    const places = ['http://127.0.0.1', 'http://0x7f.1', 'http://[::ffff:127.0.0.1]', 'http://localhost', '//127.0.0.1']
    const cases = statuses.flatMap((status) => places.map((place) => [status, place] as const))

    test.each(cases)('%i from a trusted origin to %s is refused', async (status, place) => {
      const url = redirect(status, `${place}:${canary.port}/`)

      await expect(create().fetch(url, {}, trusted())).rejects.toThrow(OutboundBlocked)
      expect(canary.connections()).toBe(0)
    })

    test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'http://user@example.com/'])(
      'to %s are refused',
      async (to) => {
        await expect(create().fetch(redirect(302, to), {}, trusted())).rejects.toThrow(OutboundBlocked)
      },
    )

    test('the last redirect of a chain is checked like the first', async () => {
      const chain = redirect(301, redirect(307, redirect(308, `${canary.origin}/`)))

      await expect(create().fetch(chain, {}, trusted())).rejects.toThrow(OutboundBlocked)
      expect(canary.connections()).toBe(0)
    })

    test('trust lost at a redirect does not return', async () => {
      const guard = create({ allowlist: [`127.0.0.1:${canary.port}`] })
      const back = `${canary.origin}/redirect/302?to=${encodeURIComponent(server.origin)}`
      const lured = await startServer()
      const away = back.replace(String(canary.port), String(lured.port))
      const open = create({ allowlist: [`127.0.0.1:${lured.port}`] })

      await expect(open.fetch(away, {}, trusted())).rejects.toThrow(OutboundBlocked)
      await expect(open.fetch(redirect(302, away), {}, trusted())).rejects.toThrow(OutboundBlocked)
      await expect(guard.fetch(lured.origin, {}, trusted())).rejects.toThrow(OutboundBlocked)
      await lured.close()
    })

    test.each([200, 201, 300, 304, 305])('a %i with a Location is returned unchanged', async (status) => {
      const response = await create().fetch(redirect(status, canary.origin), {}, trusted())

      expect(response.status).toBe(status)
      expect(canary.connections()).toBe(0)
    })

    test('headers that a page sets itself are not followed', async () => {
      const url = `${server.origin}/page/200?to=${encodeURIComponent(canary.origin)}`
      const response = await create().fetch(url, {}, trusted())

      expect(await response.text()).toContain(canary.origin)
      expect(canary.connections()).toBe(0)
    })

    test('within one trusted origin are followed, and the answer has the final address', async () => {
      const response = await create().fetch(redirect(302, '/echo'), {}, trusted())

      expect(response.status).toBe(200)
      expect(response.redirected).toBe(true)
      expect(response.url).toBe(`${server.origin}/echo`)
    })

    test.each([
      [5, undefined, true],
      [6, undefined, false],
      [2, 2, true],
      [3, 2, false],
      [1, 0, false],
    ])('%i in a row with a limit of %s: followed %s', async (count, max_redirects, followed) => {
      let url = `${server.origin}/echo`
      for (let step = 0; step < count; step += 1) url = redirect(302, url)
      const answer = create().fetch(
        url,
        {},
        { ...trusted(), ...(max_redirects === undefined ? {} : { max_redirects }) },
      )

      if (followed) expect((await answer).status).toBe(200)
      else await expect(answer).rejects.toThrow('redirects')
    })

    test.each([
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'POST', 'GET'],
      [303, 'PUT', 'GET'],
      [301, 'PUT', 'PUT'],
      [307, 'POST', 'POST'],
      [308, 'post', 'POST'],
    ])('a %i turns %s into %s', async (status, method, becomes) => {
      const init = { method, body: 'text', headers: { 'content-type': 'text/plain' } }
      const got = await echo(await create().fetch(redirect(status, '/echo'), init, trusted()))

      expect(got.method).toBe(becomes)
      expect(got.body).toBe(becomes === 'GET' ? '' : 'text')
      expect(got.headers['content-type']).toBe(becomes === 'GET' ? undefined : 'text/plain')
    })

    test('to another origin carry no credential, to the same origin all of them', async () => {
      const other = await startServer()
      const options = { trusted_origins: [server.origin, other.origin] }
      const headers = { authorization: 'Bearer x', 'x-api-key': 'x', cookie: 'a=b', accept: 'text/html' }
      const same = await echo(await create().fetch(redirect(307, '/echo'), { headers }, options))
      const moved = await echo(await create().fetch(redirect(307, `${other.origin}/echo`), { headers }, options))
      await other.close()

      expect(same.headers).toMatchObject({ authorization: 'Bearer x', 'x-api-key': 'x' })
      expect(moved.headers).not.toHaveProperty('authorization')
      expect(moved.headers).not.toHaveProperty('x-api-key')
      expect(moved.headers).not.toHaveProperty('cookie')
      expect(moved.headers.accept).toBe('text/html')
    })

    test('with a stream cannot be sent again', async () => {
      const init = { method: 'POST', body: streamOf('text') }

      await expect(create().fetch(redirect(307, '/echo'), init, trusted())).rejects.toThrow('only once')
    })

    test('are returned or refused on request', async () => {
      const manual = await create().fetch(redirect(302, canary.origin), { redirect: 'manual' }, trusted())

      expect(manual.status).toBe(302)
      await expect(create().fetch(redirect(302, '/echo'), { redirect: 'error' }, trusted())).rejects.toThrow('redirect')
    })
  })

  describe('lets through', () => {
    test.each(['', '/echo', '/echo?query=1#part', '/%2e%2e/x'])('a trusted origin with %j', async (path) => {
      expect((await create().fetch(server.origin + path, {}, trusted())).status).toBe(200)
    })

    test('a trusted origin in another spelling', async () => {
      const url = `http://0x7f.1:${server.port}/`

      expect((await create().fetch(url, {}, { trusted_origins: [`http://127.1:${server.port}/v1`] })).status).toBe(200)
    })

    test.each(['127.0.0.1', '127.0.0.0/8', '127.1', '127.0.0.1:PORT', 'http://127.0.0.1:PORT'])(
      'a host that the allowlist names as %s',
      async (entry) => {
        const guard = create({ allowlist: [entry.replace('PORT', String(server.port))] })

        expect((await guard.fetch(server.origin)).status).toBe(200)
      },
    )

    test.each([
      ['a text', () => 'grüße', 'grüße'],
      ['bytes', () => new TextEncoder().encode('bytes'), 'bytes'],
      ['a buffer', () => new TextEncoder().encode('buffer').buffer, 'buffer'],
      ['a blob', () => new Blob(['blob']), 'blob'],
      ['fields', () => new URLSearchParams({ a: '1' }), 'a=1'],
      ['a stream', () => streamOf('stream'), 'stream'],
    ])('%s as the body', async (_, body, arrives) => {
      const init = { method: 'POST', body: body() }

      expect((await echo(await create().fetch(`${server.origin}/echo`, init, trusted()))).body).toBe(arrives)
    })

    test('a form with a file, also after a redirect', async () => {
      const body = new FormData()
      body.set('file', new File(['content'], 'note.txt'))
      const got = await echo(await create().fetch(redirect(307, '/echo'), { method: 'POST', body }, trusted()))

      expect(got.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
      expect(got.body).toContain('filename="note.txt"')
    })

    test("headers, but the host is the URL's", async () => {
      const headers = { 'x-custom': 'yes', host: 'elsewhere.example', 'user-agent': 'tester' }
      const got = await echo(await create().fetch(`${server.origin}/echo`, { headers }, trusted()))

      expect(got.headers).toMatchObject({
        'x-custom': 'yes',
        'user-agent': 'tester',
        host: `127.0.0.1:${server.port}`,
      })
    })

    test('the default user agent if the caller sets none', async () => {
      const got = await echo(await create().fetch(`${server.origin}/echo`, {}, trusted()))

      expect(got.headers['user-agent']).toBe('hearthd')
    })

    test('a response while it is still being written', async () => {
      const response = await create().fetch(`${server.origin}/stream`, {}, trusted())
      const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()

      expect((await reader.read()).value).toBe('first')
      server.release()
      expect((await reader.read()).value).toBe('second')
    })

    test('an abort, before and while it runs', async () => {
      const signal = AbortSignal.abort(new Error('stopped'))
      await expect(create().fetch(server.origin, { signal }, trusted())).rejects.toThrow('stopped')
      const stop = new AbortController()
      const waiting = await startServer()
      const response = await create().fetch(
        `${waiting.origin}/stream`,
        { signal: stop.signal },
        { trusted_origins: [waiting.origin] },
      )
      stop.abort(new Error('enough'))

      await expect(response.text()).rejects.toThrow('enough')
      await waiting.close()
    })
  })
}

interface Echo {
  method: string
  headers: Record<string, string>
  body: string
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream()
}
