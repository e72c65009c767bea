import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as page from '../../handlers/browser/page.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { servePages } from '../support/open-browser.ts'
import { type OwnBrowser, openBrowser } from '../support/own-browser.ts'

let own: OwnBrowser
let host: MemoryHost
beforeAll(async () => {
  own = await openBrowser({
    allowlist: ['localhost'],
    resolve(name) {
      if (name === 'nowhere.example') throw new Error('ENOTFOUND')
      return ['127.0.0.1']
    },
  })
  host = await testHost({ browser: own.browser })
})
afterAll(() => own.close())

const act = async (body: Record<string, unknown>) => {
  const response = await call(page.act, host, { body })
  return { status: response.status, ...(await response.json()) }
}

test('the answer of an act includes the dialog that it opened', async () => {
  const url = await servePages({ '/': `<button onclick="confirm('Really delete?')">Delete</button>` })
  await act({ action: 'goto', url })
  const clicked = await act({ action: 'click', selector: 'text=Delete' })
  expect(clicked).toMatchObject({ status: 200, dialog: { type: 'confirm', message: 'Really delete?' } })
  expect(await act({ action: 'handle_dialog', accept: false })).toMatchObject({ status: 200 })
})

test('an unknown host is a failed navigation with a reason, and a slow page a timeout', async () => {
  const url = await servePages(() => undefined)
  expect(await act({ action: 'goto', url: 'http://nowhere.example/' })).toMatchObject({
    status: 422,
    code: 'navigation_failed',
    message: expect.stringContaining('nowhere.example cannot be resolved'),
  })
  expect(await act({ action: 'goto', url, timeout_ms: 800 })).toMatchObject({ status: 422, code: 'timeout' })
})

test('an element that does not appear in time is a timeout', async () => {
  await act({ action: 'goto', url: await servePages({ '/': '<p>Nothing</p>' }) })
  const waiting = { action: 'wait_for_selector', selector: '#never', timeout_ms: 500 }
  expect(await act(waiting)).toMatchObject({ status: 422, code: 'timeout' })
})
