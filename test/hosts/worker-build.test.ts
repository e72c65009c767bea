import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWorker } from '../../adapters/node/cli/worker-build.ts'
import { uiHeaders } from '../../runtime/http/ui-pages.ts'
import { builtUi } from '../support/built-ui.ts'
import { parseEvents } from '../support/chat.ts'
import { startWorkerd } from './workerd.ts'

let folder: string
let workerd: Miniflare
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearthd-worker-'))
  await buildWorker(folder, await builtUi())
  const code = join(folder, 'code')
  const names = (await readdir(code)).toSorted(
    (left, right) => Number(right === 'index.js') - Number(left === 'index.js'),
  )
  const modules = await Promise.all(
    names.map(async (path) => ({
      type: 'ESModule' as const,
      path,
      contents: await readFile(join(code, path), 'utf8'),
    })),
  )
  workerd = startWorkerd({ modules, ui: join(folder, 'ui') })
  url = (await workerd.ready).origin
}, 300_000)
afterAll(async () => {
  await workerd?.dispose()
  await rm(folder, { recursive: true, force: true })
})

const html = { accept: 'text/html,*/*' }
const page = (path: string, headers: Record<string, string> = html) => fetch(url + path, { headers })

test('the folder has what wrangler.jsonc names, and nothing compressed', async () => {
  const config = await readFile('adapters/worker/wrangler.jsonc', 'utf8')
  const files = await readdir(folder, { recursive: true })

  expect(config).toContain('"main": "dist/code/index.js"')
  expect(config).toContain('"directory": "dist/ui"')
  expect(files).toEqual(expect.arrayContaining(['code/index.js', 'ui/index.html', 'ui/device.html']))
  expect(files.filter((name) => /\.(br|gz)$/.test(name))).toEqual([])
})

test('every path of the UI returns its page, with the headers that Node sends', async () => {
  for (const path of ['/', '/chat/conv_1', '/settings/profile?tab=2']) {
    const response = await page(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(Object.fromEntries(response.headers)).toMatchObject(uiHeaders)
    expect(await response.text()).toContain('<div id="root">')
  }
})

test('scripts never change, pages are revalidated, the device page may use the camera', async () => {
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await page('/')).text())?.[1] ?? ''
  const loaded = await page(script, {})
  const etag = (await page('/')).headers.get('etag') ?? ''
  const device = await page('/device')

  expect(loaded.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(loaded.headers.get('content-type')).toContain('javascript')
  expect((await page('/', { ...html, 'if-none-match': etag })).status).toBe(304)
  expect(device.headers.get('permissions-policy')).toContain('camera=(self)')
  expect((await page('/', { ...html })).headers.get('permissions-policy')).toContain('camera=()')
})

test('what is no page and no file is refused by the program', async () => {
  for (const path of ['/nothing.js', '/%2e%2e/code/index.js', '/.env']) {
    const response = await page(path, { accept: '*/*' })
    expect([response.status, await response.json()]).toEqual([401, { error: 'Missing Authorization header' }])
  }
})

interface Sent {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

const send = (method: string, path: string, { key = '', body, headers = {} }: Sent) =>
  fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

test('is set up, signs in, chats, and reminds by its alarm', async () => {
  const admin = { username: 'ada', password: 'correct horse battery' }
  const setup = await send('POST', '/api/setup/admin', { body: admin, headers: { 'x-setup-token': 'let me in' } })
  const { key } = (await setup.json()).api_key
  const session = (await (await send('POST', '/api/auth/login', { body: admin })).json()).token
  const chat = await send('POST', '/api/chat/messages/stream', { key: session, body: { message: 'What is 12 * 13?' } })
  const events = parseEvents(await chat.text())
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/events?token=${key}`)
  const finished = new Promise<{ status: string }>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the socket failed')))
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data))
      if (frame.type === 'job.run.finished') resolve(frame.data)
    })
  })
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const job = await send('POST', '/api/scheduler/jobs', {
    key,
    body: {
      name: 'Tea',
      goal: 'Remind me of the tea',
      schedule: { type: 'at', datetime: new Date(Date.now() + 1_000).toISOString() },
    },
  })

  expect(events.at(-1)?.event).toBe('done')
  expect(job.status, await job.text()).toBe(201)
  expect(await finished).toMatchObject({ status: expect.any(String) })
  socket.close()
}, 30_000)
