import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import { type OwnBrowser, openBrowser } from '../../support/own-browser.ts'
import { hostileHosts, hostileUrls } from '../outbound/hostile.ts'
import { type LocalServer, startServer } from '../outbound/servers.ts'
import { quietVectors, type Vector, vectors } from './guard-vectors.ts'

/** The page of the moment, and everything that was asked of the hosts that are open. */
class Site {
  vector: Vector | null = null
  target = ''
  readonly hosts = new Set<string>()
  readonly server: Server = createServer((request, response) => {
    this.hosts.add((request.headers.host ?? '').split(':')[0] ?? '')
    const url = new URL(request.url ?? '/', 'http://site.example')
    const own = this.vector?.scripts?.[url.pathname]
    if (url.pathname.startsWith('/redirect/'))
      return void response
        .writeHead(Number(url.pathname.split('/')[2]), { location: url.searchParams.get('to') ?? '' })
        .end()
    if (own) return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(own(this.target))
    const shown = url.pathname === '/vector' ? this.vector : null
    const headers = { 'content-type': 'text/html', ...shown?.headers?.(this.target) }
    response.writeHead(200, headers).end(shown?.page(this.target) ?? '<title>fine</title>')
  })

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }
}

const site = new Site()
let canary: LocalServer
let own: OwnBrowser

beforeAll(async () => {
  canary = await startServer()
  site.server.listen(0, '127.0.0.1')
  await once(site.server, 'listening')
  own = await openBrowser({ allowlist: [`localhost:${site.port}`, `*.good.example:${site.port}`] })
})

afterAll(async () => {
  await own.close()
  await canary.close()
  site.server.closeAllConnections()
  site.server.close()
})

const visit = (url: string) => own.browser.act({ action: 'goto', url })

/** Tries again until it is so; the limit of the test ends what never comes. */
const until = (holds: () => boolean) => expect.poll(holds, { interval: 10 }).toBe(true)

async function show(vector: Vector, host: string, port: number): Promise<void> {
  site.vector = vector
  site.target = `http://${host}:${port}/from-page`
  const url = `http://localhost:${site.port}/vector`
  // A page that goes elsewhere by itself may be there before the act has ended.
  await visit(url).catch((thrown: unknown) => {
    if (!(thrown instanceof BrowserFailure)) throw thrown
  })
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (thrown) => thrown.code ?? thrown,
  )

describe('what a page asks for', () => {
  test.each(vectors.map((vector, at) => ({ vector, at, name: vector.name })))(
    '$name is allowed to an open host and to no other',
    async ({ vector, at }) => {
      await show(vector, `v${at}.good.example`, site.port)
      await until(() => site.hosts.has(`v${at}.good.example`))
      await show(vector, `v${at}.evil.example`, canary.port)
      await until(() => typeof own.asked.get(`v${at}.evil.example`) === 'string')
      expect(canary.connections()).toBe(0)
    },
  )
})

describe('what need not be asked for at all', () => {
  test.each(quietVectors)('$name reaches nothing that is blocked, by TCP or UDP', async (vector) => {
    const datagrams: string[] = []
    const udp = createSocket('udp4', (message) => datagrams.push(message.toString('latin1')))
    udp.bind(canary.port, '127.0.0.1')
    await once(udp, 'listening')
    try {
      for (const host of ['quiet.evil.example', '127.0.0.1', 'localhost']) await show(vector, host, canary.port)
      const fresh = await own.browser.openTab({ url: `http://localhost:${site.port}/` })
      await own.browser.evaluate('new Promise((done) => setTimeout(done, 700, 1))', fresh.id)
      const tabs = await own.browser.tabs()
      expect(tabs.filter(({ url }) => /^(?:file|chrome|view-source|data|devtools):/.test(url))).toEqual([])
      expect(canary.connections()).toBe(0)
      expect(datagrams).toEqual([])
    } finally {
      udp.close()
      for (const { id } of (await own.browser.tabs()).slice(1)) await own.browser.closeTab(id)
    }
  })
})

describe('what an act asks for', () => {
  test('no spelling of this machine or a private network can be opened', async () => {
    const opened = []
    for (const host of hostileHosts)
      for (const scheme of ['http', 'https'])
        if ((await failureOf(visit(`${scheme}://${host}:${canary.port}/`))) === 'none') opened.push(host)
    expect(opened).toEqual([])
    expect(canary.connections()).toBe(0)
  })

  test('no form of a URL reaches them', async () => {
    const opened = []
    for (const form of hostileUrls) {
      const url = form.replaceAll('CANARY', String(canary.port))
      if (url !== 'about:blank' && url !== '' && (await failureOf(visit(url))) === 'none') opened.push(url)
    }
    expect(opened).toEqual([])
    expect(canary.connections()).toBe(0)
  })

  test.each([
    'file:///etc/passwd',
    'chrome://version/',
    'view-source:http://v.good.example/',
    'data:text/html,x',
    'javascript:1',
    'devtools://devtools/',
    'blob:http://v.good.example/0b5c1c0e-0000-4000-8000-000000000000',
    'filesystem:http://v.good.example/temporary/x',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop/x.html',
    'ftp://v.good.example/',
    'ws://v.good.example/',
    'about:srcdoc',
    'about:net-internals',
    ' JaVaScRiPt:alert(1)',
  ])('%s is blocked', async (url) => {
    expect(await failureOf(visit(url))).toBe('blocked_url')
  })

  test('a redirect to them is blocked with a reason', async () => {
    const to = encodeURIComponent(`http://evil.example:${canary.port}/`)
    for (const status of [301, 302, 303, 307, 308])
      expect(await failureOf(visit(`http://localhost:${site.port}/redirect/${status}?to=${to}`))).toBe('blocked_url')
    expect(canary.connections()).toBe(0)
  })

  test('a page cannot show a file from this machine', async () => {
    await visit(`http://localhost:${site.port}/`)
    const script = `new Promise((done) => {
      const frame = document.createElement('iframe')
      frame.src = 'file:///etc/passwd'
      frame.onload = () => done(frame.contentDocument?.body.innerText ?? 'opaque')
      document.body.append(frame)
      open('file:///etc/passwd')
      setTimeout(done, 1000, 'nothing')
    })`
    expect(await own.browser.evaluate(script)).not.toMatch(/root/)
    const tabs = await own.browser.tabs()
    expect(tabs.filter(({ url }) => url.startsWith('file:'))).toEqual([])
  })

  test('every spelling also fails from inside a page', async () => {
    const { id } = await own.browser.openTab({ url: `http://localhost:${site.port}/` })
    const urls = hostileHosts.map((host) => `http://${host}:${canary.port}/`)
    const forms = hostileUrls.map((form) => form.replaceAll('CANARY', String(canary.port)))
    const outcome = await own.browser.evaluate(
      `Promise.all(${JSON.stringify([...urls, ...forms.filter((form) => /127|localhost|::1/.test(form))])}.map((url) => {
        try { return fetch(url, { mode: 'no-cors' }).then((answer) => answer.type, () => 'failed') } catch { return 'failed' }
      })).then((all) => all.length)`,
      id,
    )
    expect(outcome).toBeGreaterThan(230)
    expect(canary.connections()).toBe(0)
  })
})

describe('names and lists', () => {
  test('a name whose address changes is checked at each connection', async () => {
    let asked = 0
    const other = await openBrowser({
      allowlist: [`127.0.0.2:${site.port}`, `localhost:${site.port}`],
      resolve: (name) => (name === 'rebind.example' ? [asked++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1'] : ['127.0.0.1']),
    })
    const second = createServer((_, response) => response.end('second')).listen(site.port, '127.0.0.2')
    await once(second, 'listening')
    try {
      site.hosts.clear()
      const url = `http://rebind.example:${site.port}/`
      for (let tries = 0; tries < 6; tries += 1) await failureOf(other.browser.act({ action: 'goto', url }))
      expect(asked).toBeGreaterThan(3)
      expect(site.hosts.has('rebind.example')).toBe(false)
    } finally {
      second.close()
      await other.close()
    }
  })

  test("the service's own port is blocked, even where its network is allowed", async () => {
    const other = await openBrowser({ allowlist: ['127.0.0.0/8', 'localhost'], own_ports: [canary.port] })
    try {
      for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', 'evil.example'])
        expect(await failureOf(other.browser.act({ action: 'goto', url: `http://${host}:${canary.port}/` }))).toBe(
          'blocked_url',
        )
      expect(canary.connections()).toBe(0)
    } finally {
      await other.close()
    }
  })

  test('the blocklist overrides the allowlist, immediately and on open pages', async () => {
    const setup = (ssrf_allowlist: string[], ssrf_blocklist: string[]) => ({
      config: {
        backend: 'managed' as const,
        headless: true,
        auto_snapshot: false,
        snapshot_interval_ms: 1000,
        stream_fps: 2,
        stream_quality: 60,
        ssrf_allowlist,
        ssrf_blocklist,
      },
      profile: { user_agent: null, locale: null, timezone: null, color_scheme: null, geolocation: null },
      emulation: {},
      credentials: [],
    })
    const url = `http://listed.example:${site.port}/`
    const other = await openBrowser()
    const ask = `fetch('/again', { cache: 'no-store' }).then((answer) => answer.status, () => 0)`
    try {
      expect(await failureOf(other.browser.act({ action: 'goto', url }))).toBe('blocked_url')
      await other.browser.configure(setup(['listed.example'], []))
      await other.browser.act({ action: 'goto', url })
      expect(await other.browser.evaluate(ask)).toBe(200)
      await other.browser.configure(setup(['listed.example'], ['listed.example']))
      expect(await other.browser.evaluate(ask)).toBe(403)
      expect(await failureOf(other.browser.act({ action: 'reload' }))).toBe('blocked_url')
    } finally {
      await other.close()
    }
  })
})
