import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { Ajv } from 'ajv'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { NodeBrowser } from '../../../adapters/browser/browser.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

const site = () =>
  servePages((request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/data')) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'sid=s3cr3t-cookie; Path=/',
      })
      return response.end(JSON.stringify({ access_token: 's3cr3t-token', name: 'Ada' }))
    }
    if (request.url === '/picture') {
      response.writeHead(200, { 'content-type': 'image/png' })
      return response.end(Buffer.from([137, 80, 78, 71]))
    }
    if (request.url === '/moved') {
      response.writeHead(302, { location: '/data' })
      return response.end()
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<title>Start</title><h1>Start</h1>')
  })

const ask = (browser: NodeBrowser, url: string, options = '{}') =>
  browser.evaluate(
    `fetch(${JSON.stringify(url)}, ${options}).then((answer) => answer.text(), (error) => 'error ' + error.name)`,
  )

test('every request of every page is logged with its size and time', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await ask(browser, `${url}/data?token=s3cr3t-query&page=2`)
  await expect.poll(() => browser.requests().every(({ duration_ms }) => duration_ms !== null)).toBe(true)
  const [document] = browser.requests()
  const data = browser.requests().find((request) => request.url.includes('/data'))
  expect(document).toMatchObject({
    method: 'GET',
    resource_type: 'document',
    status: 200,
    mime_type: 'text/html',
  })
  expect(data).toMatchObject({ resource_type: 'fetch', status: 200, mocked: false, error: null })
  await expect.poll(() => browser.requests().find(({ url }) => url.includes('/data'))?.size_bytes).toBeGreaterThan(40)
  expect(data?.url).toContain('page=2')
  expect(data?.url).not.toContain('s3cr3t')
})

test('requests that the guard refuses are logged as blocked, over plain HTTP and through a tunnel', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await ask(browser, 'http://10.0.0.7/inside', '{ mode: "no-cors" }')
  await ask(browser, 'https://10.0.0.8/inside', '{ mode: "no-cors" }')
  const errors = () =>
    browser
      .requests()
      .filter((request) => request.url.includes('/inside'))
      .map(({ error }) => error)
  await expect.poll(errors).toEqual(['blocked', 'blocked'])
})

async function socketServer() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

test('WebSockets are logged among the requests, without their messages', async () => {
  const url = await site()
  const { server, port } = await socketServer()
  server.on('connection', (socket) => socket.on('message', () => socket.send('s3cr3t-answer')))
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  const talk = (address: string, last: 'message' | 'close') =>
    browser.evaluate(`new Promise((done) => {
      const socket = new WebSocket(${JSON.stringify(address)})
      socket.onopen = () => socket.send('s3cr3t-question')
      socket.on${last} = () => (socket.close(), done(1))
    })`)
  await talk(`ws://localhost:${port}/live?token=s3cr3t-query`, 'message')
  await talk(`ws://10.0.0.7:${port}/live`, 'close')
  await talk(`${url.replace('http', 'ws')}/live`, 'close')
  const told = () => browser.requests().filter(({ resource_type }) => resource_type === 'websocket')
  await expect.poll(() => told().filter(({ duration_ms }) => duration_ms !== null)).toHaveLength(3)
  expect(told()).toMatchObject([
    { method: 'GET', status: 101, error: null, blocked_reason: null, size_bytes: null },
    { status: null, error: 'blocked', blocked_reason: '10.0.0.7 is not allowed' },
    { status: 200, error: expect.stringContaining('200'), blocked_reason: null },
  ])
  expect(JSON.stringify(told())).not.toContain('s3cr3t')
})

test('a WebSocket closes with its page', async () => {
  const url = await site()
  const { port } = await socketServer()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.evaluate(
    `new Promise((done) => { const it = new WebSocket('ws://localhost:${port}/'); it.onopen = () => (it.send('x'), done(1)) })`,
  )
  const told = () => browser.requests().find(({ resource_type }) => resource_type === 'websocket')
  await expect.poll(() => told()?.status).toBe(101)
  expect(told()?.duration_ms).toBeNull()
  await browser.act({ action: 'goto', url: `${url}/?again` })
  await expect.poll(() => told()?.duration_ms).not.toBeNull()
})

test('a request to another origin that the guard refuses is logged as blocked, with the reason', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  for (const options of ['{}', '{ mode: "no-cors" }', '{ method: "PUT", headers: { "x-own": "1" } }'])
    for (const scheme of ['http', 'https']) await ask(browser, `${scheme}://10.0.0.9/inside`, options)
  await browser.evaluate(`new Promise((done) => {
    const picture = new Image()
    picture.onerror = done
    picture.src = 'http://10.0.0.9/inside.png'
  }).then(() => 1)`)
  const found = () => browser.requests().filter((request) => request.url.includes('/inside'))
  await expect.poll(() => found().filter(({ duration_ms }) => duration_ms === null)).toEqual([])
  expect(found().length).toBeGreaterThanOrEqual(7)
  for (const request of found())
    expect(request).toMatchObject({
      error: 'blocked',
      blocked_reason: '10.0.0.9 is not allowed',
      status: null,
    })
  await ask(browser, `${url.replace('localhost', 'other.test')}/data`)
  expect(browser.requests().at(-1)).toMatchObject({ blocked_reason: null })
})

test('the status reports what is configured and what is running', async () => {
  const url = await servePages({ '/': `<button onclick="prompt('Name?', 'Ada')">Ask</button>` })
  const browser = await openBrowser()
  expect(browser.status()).toMatchObject({ har: null, mocks: [], dialogs: [] })
  await browser.startHar()
  await browser.act({ action: 'goto', url })
  const mock = { url_pattern: '**/a', status_code: 200, body: 'a', headers: {} }
  await browser.mock(mock)
  await browser.mock({ ...mock, body: 'b' })
  await browser.act({ action: 'click', selector: 'button' })
  await expect.poll(() => browser.status().har?.entries).toBeGreaterThan(0)
  expect(browser.status()).toMatchObject({
    mocks: [{ body: 'b' }, { body: 'a' }],
    dialogs: [{ tab_id: 'tab_1', type: 'prompt', message: 'Name?', default_value: 'Ada' }],
  })
  await browser.act({ action: 'handle_dialog' })
  await browser.stopHar({ keep_credentials: false })
  await browser.clearMocks()
  expect(browser.status()).toMatchObject({ har: null, mocks: [], dialogs: [] })
})

test('only the latest thousand requests are kept', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.evaluate(
    `(async () => { for (let i = 0; i < 1050; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => fetch('/picture?n=' + (i + j)))) })()`,
  )
  await expect.poll(() => browser.requests().at(-1)?.url).toBe(`${url}/picture?n=1049`)
  expect(browser.requests()).toHaveLength(1_000)
})

test('the archive is HAR 1.2, with bodies as text or base64, and without credentials', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.startHar()
  await browser.act({ action: 'goto', url })
  const login = `{ method: 'POST', headers: { authorization: 'Bearer s3cr3t-bearer', 'content-type': 'application/x-www-form-urlencoded' }, body: 'user=ada&password=s3cr3t-password' }`
  await ask(browser, `${url}/data?access_token=s3cr3t-query`, login)
  await ask(browser, `${url}/data`)
  await ask(browser, `${url}/picture`)
  await ask(browser, `${url}/moved`)
  const har = (await browser.stopHar({ keep_credentials: false })) as Har
  expect(problemsOf(har)).toEqual([])
  expect(har.log.version).toBe('1.2')
  const paths = har.log.entries.map(({ request }) => new URL(request.url).pathname)
  expect(paths).toEqual(expect.arrayContaining(['/', '/data', '/picture', '/moved']))
  expect(JSON.stringify(har)).not.toContain('s3cr3t')
  const picture = har.log.entries.find(({ request }) => request.url.endsWith('/picture'))
  expect(picture?.response.content).toMatchObject({ encoding: 'base64', text: 'iVBORw==', size: 4 })
  const start = har.log.entries.find(({ request }) => request.url === `${url}/`)
  expect(start?.response.content.text).toContain('<h1>Start</h1>')
})

test('an archive keeps credentials on request, and there is none before recording starts', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  expect(await browser.stopHar({ keep_credentials: true })).toBeNull()
  await browser.startHar()
  await ask(browser, `${url}/data`, `{ headers: { authorization: 'Bearer s3cr3t-bearer' } }`)
  await ask(browser, `${url}/data`)
  const har = (await browser.stopHar({ keep_credentials: true })) as Har
  expect(problemsOf(har)).toEqual([])
  const text = JSON.stringify(har)
  for (const secret of ['s3cr3t-bearer', 's3cr3t-cookie', 's3cr3t-token']) expect(text).toContain(secret)
})

test('a mock answers fetches and documents instead of the network, newest first, until it is removed', async () => {
  let reached = 0
  const url = await servePages((_, response) => {
    reached += 1
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<title>Real</title>real')
  })
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  const before = reached
  await browser.mock({ url_pattern: `${url}/api/*`, status_code: 200, body: 'first', headers: {} })
  await browser.mock({
    url_pattern: '**/api/users',
    status_code: 418,
    body: '{"a":1}',
    headers: { 'x-mock': 'yes' },
  })
  expect(await ask(browser, `${url}/api/users`)).toBe('{"a":1}')
  expect(await ask(browser, `${url}/api/other`)).toBe('first')
  const told = await browser.evaluate(
    `fetch('/api/users').then((answer) => [answer.status, answer.headers.get('x-mock'), answer.headers.get('content-type')])`,
  )
  expect(told).toEqual([418, 'yes', 'application/json; charset=utf-8'])
  const { title } = await browser.act({ action: 'goto', url: `${url}/api/page` })
  expect(title).toBe('')
  expect(reached).toBe(before)
  const answers = () =>
    browser
      .requests()
      .filter(({ mocked }) => mocked)
      .map(({ status }) => status)
  await expect.poll(answers).toEqual([418, 200, 418, 200])
  expect(await browser.clearMocks()).toBe(2)
  expect(await ask(browser, `${url}/api/users`)).toContain('real')
  expect(reached).toBe(before + 1)
})

test('a mock of another origin can be read by the page, even after a preflight', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.mock({ url_pattern: 'https://api.example/*', status_code: 200, body: 'hello', headers: {} })
  const options = `{ method: 'PUT', headers: { 'x-own': '1', 'content-type': 'application/json' }, body: '{}' }`
  expect(await ask(browser, 'https://api.example/thing', options)).toBe('hello')
})

test('mocks stay active when the identity of the pages changes', async () => {
  const url = await site()
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.mock({ url_pattern: '**/api', status_code: 200, body: 'mocked', headers: {} })
  await browser.restoreState({ cookies: [], origins: [] })
  await browser.act({ action: 'goto', url })
  expect(await ask(browser, `${url}/api`)).toBe('mocked')
})

interface Har {
  log: {
    version: string
    entries: {
      request: { url: string }
      response: { content: { size: number; text?: string; encoding?: string } }
    }[]
  }
}

/** What the published schema has against it. */
function problemsOf(har: unknown): unknown[] {
  const ajv = new Ajv({ strict: false, logger: false })
  ajv.addFormat('ipv4', /^\d+\.\d+\.\d+\.\d+$/)
  ajv.addFormat('ipv6', /^[0-9a-f:]+$/)
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
  const schemas = createRequire(import.meta.url)('har-schema') as Record<string, Record<string, unknown>>
  for (const { $schema: _, ...schema } of Object.values(schemas)) ajv.addSchema(schema)
  ajv.validate('har.json#', har)
  return ajv.errors ?? []
}
