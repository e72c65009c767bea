import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noBrowser } from '../../adapters/memory/browser.ts'
import { BrowserMissing } from '../../runtime/ports/browser.ts'
import { serve } from '../adapters/browser/driver.ts'
import { servePages } from '../support/open-browser.ts'
import { type OwnBrowser, openBrowser } from '../support/own-browser.ts'
import { findTool, toolBench } from './bench.ts'

let own: OwnBrowser
let server: Server
let origin: string
beforeAll(async () => {
  own = await openBrowser({ allowlist: ['127.0.0.1'] })
  server = await serve()
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await own.close()
  server.closeAllConnections()
  server.close()
})

test('opens a page, uses it by numbers, reads it, takes a screenshot and goes back', async () => {
  const { use, scope } = await toolBench({ browser: own.browser })
  const page = (await use('browser', { action: 'open', url: `${origin}/words.html` })) as Record<string, string>
  expect(page).toMatchObject({ title: 'words', url: `${origin}/words.html` })
  expect(page.text).toContain('The quick brown fox')
  expect(page.snapshot).toContain('[1] Submit (button)')

  await use('browser', { action: 'act', act: 'click', index: 1 })
  await use('browser', { action: 'open', url: `${origin}/valid.html` })
  const typed = await use('browser', { action: 'act', act: 'type_text', index: 1, text: 'Ada' })
  expect(typed).toMatchObject({ snapshot: expect.stringContaining('value "Ada"') })
  expect(await use('browser', { action: 'read', max_chars: 200 })).toMatchObject({ title: 'valid' })
  expect(await use('browser', { action: 'tabs' })).toMatchObject({ tabs: [{ active: true }] })

  const { path } = (await use('browser', { action: 'screenshot' })) as { path: string }
  const bytes = await scope.context.files.read(`workspaces/${scope.agent.id}`, path)
  expect([...(bytes?.subarray(1, 4) ?? [])]).toEqual([...new TextEncoder().encode('PNG')])
  expect(await use('browser', { action: 'back' })).toMatchObject({ url: `${origin}/words.html` })
})

test('saves a PDF and downloads into the workspace, and uploads from it', async () => {
  const shop = await servePages((request, response) => {
    if (request.url === '/list') {
      const named = { 'content-disposition': 'attachment; filename="prices.csv"' }
      return response.writeHead(200, { 'content-type': 'text/csv', ...named }).end('tea,3')
    }
    const body = `<title>Shop</title><a href=/list>Price list</a>
      <input type=file aria-label=Photo onchange="files[0].text().then((text) => document.title = files[0].name + ' ' + text)">`
    response.writeHead(200, { 'content-type': 'text/html' }).end(body)
  })
  const { use, scope } = await toolBench({ browser: own.browser, files: own.files })
  const { files } = scope.context
  const workspace = `workspaces/${scope.agent.id}`
  await use('browser', { action: 'open', url: shop.replace('localhost', '127.0.0.1') })
  const printed = (await use('browser', { action: 'pdf', path: 'shop.pdf' })) as { path: string }
  expect(new TextDecoder().decode((await files.read(workspace, printed.path))?.slice(0, 5))).toBe('%PDF-')

  const saved = await use('browser', { action: 'download', index: 1 })
  expect(saved).toMatchObject({ path: 'downloads/prices.csv', size_bytes: 5 })
  expect(await use('files', { action: 'read', path: 'downloads/prices.csv' })).toMatchObject({
    content: expect.stringContaining('tea,3'),
    untrusted: true,
  })

  await use('browser', { action: 'upload', index: 2, paths: ['downloads/prices.csv'] })
  await expect.poll(() => use('browser', { action: 'tabs' })).toMatchObject({ tabs: [{ title: 'prices.csv tea,3' }] })
  const missing = use('browser', { action: 'upload', index: 2, paths: ['none.txt'] })
  await expect(missing).rejects.toThrow('no file none.txt')
})

test('an approval names the element that the model was shown, and the site', async () => {
  const { use, scope } = await toolBench({ browser: own.browser })
  const page = await servePages({
    '/': `<title>Orders</title><table><tr><td>Order 1115<td><button>Delete</button><tr><td>Order 1116<td><button>Delete</button></table>
      <button>Delete everything</button><input aria-label="Note">`,
  })
  const url = page.replace('localhost', '127.0.0.1')
  const { host } = new URL(url)
  await use('browser', { action: 'open', url })
  const describe = (input: Record<string, unknown>) =>
    findTool('browser')?.describe?.({ action: 'act', ...input }, scope)
  expect(await describe({ act: 'click', index: 1 })).toBe(
    `In the browser: click “Delete (button, in "Order 1115")” on ${host}`,
  )
  expect(await describe({ act: 'click', index: 3 })).toBe(
    `In the browser: click “Delete everything (button)” on ${host}`,
  )
  expect(await describe({ act: 'type_text', index: 4, text: 'Hi' })).toBe(
    `In the browser: type text “Note (textbox)” on ${host}: Hi`,
  )
  expect(await describe({ act: 'click', selector: 'text=Delete everything' })).toBe(
    `In the browser: click “Delete everything (button)” on ${host}`,
  )
  expect(await describe({ act: 'click', index: 99 })).toBe(`In the browser: click element 99 on ${host}`)
  expect(await describe({ action: 'upload', index: 4, paths: ['a.txt'] })).toBe(
    `In the browser: upload a.txt to “Note (textbox)” on ${host}`,
  )
})

test('reports errors with a hint', async () => {
  const { use } = await toolBench({ browser: own.browser })
  await use('browser', { action: 'open', url: `${origin}/words.html` })
  const stale = use('browser', { action: 'act', act: 'click', index: 77 })
  await expect(stale).rejects.toThrow('stale_index')
  await expect(stale).rejects.toThrow('Take a new snapshot')
  await expect(use('browser', { action: 'open', url: 'http://10.0.0.1/' })).rejects.toThrow('blocked_url')
  await expect(use('browser', { action: 'open' })).rejects.toThrow('Say which url')
  await expect(use('browser', { action: 'act', index: 1 })).rejects.toThrow('Say in act')
})

test('a machine without a browser names the pack to install', async () => {
  const configure = async () => undefined
  const act = async () => {
    throw new BrowserMissing('There is no Chromium on this machine')
  }
  const { use } = await toolBench({ browser: { ...noBrowser, configure, act } })
  const opened = use('browser', { action: 'open', url: 'https://example.org' })
  await expect(opened).rejects.toThrow('hearthd features install browser-chromium')
})

test.each([
  [{ action: 'open', url: 'https://example.org/a' }, 'read', 'medium', 'Open https://example.org/a in the browser'],
  [{ action: 'snapshot' }, 'read', 'low', 'List the elements of the page in the browser'],
  [{ action: 'act', act: 'scroll', index: 3 }, 'read', 'low', 'In the browser: scroll element 3'],
  [{ action: 'act', act: 'click', index: 3 }, 'write', 'medium', 'In the browser: click element 3'],
  [
    { action: 'act', act: 'type_text', index: 3, text: 'Ada' },
    'write',
    'medium',
    'In the browser: type text element 3: Ada',
  ],
])('%j', (input, effect, risk, summary) => {
  const tool = findTool('browser')
  const parsed = tool?.input.parse(input)
  expect([tool?.effect(parsed), tool?.risk(parsed), tool?.summary(parsed)]).toEqual([effect, risk, summary])
  expect(tool?.untrusted({})).toBe(true)
})
