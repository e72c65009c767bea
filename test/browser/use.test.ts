import { expect, test } from 'vitest'
import { compact } from '../../adapters/browser/compact-source.ts'
import { noBrowser } from '../../adapters/memory/browser.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { Browser } from '../../runtime/ports/browser.ts'
import type { Tab } from '../../runtime/tabs/schema.ts'
import { peer, testHost } from '../support/host.ts'

const tab: Tab = { id: 't1', url: 'https://shop.test/', title: 'Shop', active: true, leased_by: null }

/** A browser none of whose methods is its own property, as a host's that loads it with the first call. */
const lazyBrowser = (loaded: Browser): Browser =>
  new Proxy({} as Browser, { get: (_, name) => loaded[name as keyof Browser] })

test('a browser that is loaded lazily keeps its methods', async () => {
  const host = await testHost({
    browser: lazyBrowser({ ...noBrowser, tabs: async () => [tab], openTab: async () => tab }),
  })
  const context = contextOf(new Request('http://127.0.0.1/'), host, peer)

  expect(await withBrowser(context, (browser) => browser.tabs())).toEqual([tab])
  expect(await withBrowser(context, (browser) => browser.openTab({ url: tab.url }))).toEqual(tab)
})

test('a script is compacted to one byte per character, with the same texts', () => {
  const script = JSON.stringify(['Größe', 'ΔE*', '你好', '😀', '\u2028'])
  expect(JSON.parse(compact(script))).toEqual(JSON.parse(script))
  expect(compact(script)).toMatch(/^[\0-\xff]*$/)
})
