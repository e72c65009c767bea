import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepBrowsers } from '../../../adapters/browser/sweep.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { unpackedChromium } from '../../support/browser.ts'
import { defaultSetup } from '../../support/browser-setup.ts'
import { type BrowserOptions, type OwnBrowser, openBrowser } from '../../support/own-browser.ts'

const pages: Record<string, string> = {
  '/': '<title>home</title><a target="_blank" href="/popup">open</a><button onclick="setTimeout(() => alert(1))">ask</button>',
  '/popup': '<title>popup</title>',
  '/storage': '<title>storage</title>',
}

let server: Server
let origin = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(pages[request.url ?? ''] ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function withBrowser(work: (own: OwnBrowser) => Promise<void>, options: BrowserOptions = {}): Promise<void> {
  const own = await openBrowser({ allowlist: ['127.0.0.1'], ...options })
  try {
    await work(own)
  } finally {
    await own.close()
  }
}

/** Groups of processes that each folder has had; Chromium's helpers bear no other mark. */
const groups = new Map<string, Set<string>>()

/** Processes of the browsers on this folder, as long as they were asked for once while the browser itself ran. */
function processesOf(folder: string): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(about)
  const known = groups.get(folder) ?? new Set()
  groups.set(folder, known)
  for (const { arguments_, group } of all) if (arguments_.includes(`--hearthd-browser=${folder}`)) known.add(group)
  return all.filter(({ group, state }) => known.has(group) && state !== 'Z').map(({ pid }) => pid)
}

function about(pid: string): { pid: number; arguments_: string[]; group: string; state: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid: Number(pid), arguments_: argumentsOf(Number(pid)), group, state }
  } catch {
    return { pid: Number(pid), arguments_: [], group: '', state: 'Z' }
  }
}

const argumentsOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')

const none = (folder: string) => expect.poll(() => processesOf(folder)).toEqual([])

test('50 concurrent calls open one browser', () =>
  withBrowser(async ({ browser }) => {
    const changes: string[] = []
    browser.onChange((change) => changes.push(change))
    await Promise.all(Array.from({ length: 50 }, () => browser.cookies()))
    expect(changes).toEqual(['opened'])
    expect(browser.status()).toMatchObject({ running: true, tabs: 0 })
  }))

test('a killed browser is reported, and the next act opens another', () =>
  withBrowser(async ({ browser, folder }) => {
    const changes: string[] = []
    browser.onChange((change) => changes.push(change))
    await browser.act({ action: 'goto', url: `${origin}/` })
    for (const pid of processesOf(folder)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // its parent has taken it along
      }
    }
    await expect.poll(() => browser.status().running).toBe(false)
    expect(changes).toEqual(['opened', 'crashed'])
    expect(await browser.act({ action: 'goto', url: `${origin}/` })).toMatchObject({ title: 'home' })
    expect(changes).toEqual(['opened', 'crashed', 'opened'])
  }))

test('an act in progress when the browser dies reports it', () =>
  withBrowser(async ({ browser, folder }) => {
    await browser.act({ action: 'goto', url: `${origin}/` })
    const waiting = browser.act({ action: 'wait_for_selector', selector: '#never' })
    const failed = expect(waiting).rejects.toMatchObject({ name: 'BrowserCrashed' })
    sweepBrowsers(folder)
    await failed
  }))

test('a page whose process dies is replaced by another', () =>
  withBrowser(async ({ browser, folder }) => {
    await browser.act({ action: 'goto', url: `${origin}/` })
    const other = await browser.openTab({ url: `${origin}/popup` })
    const renderers = processesOf(folder).filter((pid) => argumentsOf(pid).join(' ').includes('--type=renderer'))
    for (const pid of renderers) process.kill(pid, 'SIGKILL')
    await expect.poll(() => browser.status().tabs).toBe(0)
    await expect(browser.snapshot({ tab_id: other.id })).rejects.toMatchObject({ code: 'element_not_found' })
    expect(await browser.act({ action: 'goto', url: `${origin}/` })).toMatchObject({ title: 'home' })
  }))

test(
  'after 20 launches no process and no temporary file is left',
  () =>
    withBrowser(async ({ browser, folder }) => {
      for (let times = 0; times < 20; times += 1) {
        await browser.openTab({})
        await browser.close()
      }
      await none(folder)
      const left = readdirSync(join(folder, 'tmp')).filter((name) => /playwright|chromium/i.test(name))
      expect(left).toEqual([])
    }),
  180_000,
)

test('it closes after ten minutes without use, and keeps its cookies', async () => {
  const clock = createFakeClock('2026-01-05T12:00:00.000Z')
  await withBrowser(
    async ({ browser, folder }) => {
      await browser.addCookies([{ name: 'kept', value: 'yes', url: origin }])
      await clock.advance(9 * 60_000)
      expect(browser.status().running).toBe(true)
      await browser.tabs()
      await clock.advance(9 * 60_000)
      expect(browser.status().running).toBe(true)
      await clock.advance(60_000)
      await expect.poll(() => browser.status().running).toBe(false)
      await none(folder)
      expect(await browser.cookies()).toMatchObject([{ name: 'kept', value: 'yes' }])
      await browser.close()
      expect(await browser.cookies()).toEqual([])
    },
    { clock },
  )
})

test('a window that an act opens is the active tab when the act returns', () =>
  withBrowser(async ({ browser }) => {
    await browser.act({ action: 'goto', url: `${origin}/` })
    expect(await browser.act({ action: 'click', selector: 'text=open' })).toMatchObject({ title: 'popup' })
    expect(await browser.tabs()).toMatchObject([
      { title: 'home', active: false },
      { title: 'popup', active: true },
    ])
  }))

test('a tab with an open dialog blocks no other tab', () =>
  withBrowser(async ({ browser }) => {
    const first = await browser.openTab({ url: `${origin}/` })
    await browser.act({ action: 'click', selector: 'text=ask' })
    await expect
      .poll(async () => (await browser.snapshot({ tab_id: first.id })).dialog)
      .toMatchObject({ type: 'alert', message: '1' })
    const second = await browser.openTab({ url: `${origin}/popup` })
    expect(await browser.text({ tab_id: second.id })).toMatchObject({ title: 'popup' })
    for (const stuck of [browser.screenshot({ format: 'png', tab_id: first.id }), browser.text({ tab_id: first.id })])
      await expect(stuck).rejects.toMatchObject({ code: 'dialog_open' })
    expect(await browser.tabs()).toHaveLength(2)
    expect(await browser.closeTab(first.id)).toBe(true)
    expect(await browser.tabs()).toHaveLength(1)
  }))

test('a new identity keeps tabs, cookies and storage', () =>
  withBrowser(async ({ browser }) => {
    const { id } = await browser.openTab({ url: `${origin}/storage` })
    await browser.evaluate(`localStorage.note = 'here'; document.cookie = 'a=b'`)
    await browser.configure({
      ...defaultSetup,
      profile: {
        ...defaultSetup.profile,
        locale: 'de-AT',
        timezone: 'Asia/Tokyo',
        color_scheme: 'dark',
        user_agent: 'mine',
      },
      emulation: { preset: 'Pixel 7' },
    })
    const seen = await browser.evaluate(`({
      note: localStorage.note, cookie: document.cookie, language: navigator.language, agent: navigator.userAgent,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, dark: matchMedia('(prefers-color-scheme: dark)').matches,
      ratio: devicePixelRatio, path: location.pathname,
    })`)
    expect(seen).toEqual({
      note: 'here',
      cookie: 'a=b',
      language: 'de-AT',
      agent: 'mine',
      zone: 'Asia/Tokyo',
      dark: true,
      ratio: 2.625,
      path: '/storage',
    })
    expect(await browser.tabs()).toMatchObject([{ id, active: true }])
  }))

/** A process that has a browser open until it is killed. */
async function startOwner(folder: string) {
  const script = `
    import { createBrowser } from ${JSON.stringify(join(import.meta.dirname, '../../../adapters/browser/browser.ts'))}
    const browser = createBrowser({
      folder: ${JSON.stringify(folder)}, files: {}, downloads: {}, packages: { resolve: async () => null },
      clock: { now: Date.now, after: () => new Promise(() => undefined) }, log: { write() {} },
      env: { PATH: ${JSON.stringify(await unpackedChromium())} }, guard: () => async () => [],
    })
    await browser.openTab({})
    console.log('open')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('browsers of killed owners are removed at the next start', async () => {
  await withBrowser(async ({ folder }) => {
    for (let times = 0; times < 6; times += 1) {
      const child = await startOwner(folder)
      expect(processesOf(folder).length).toBeGreaterThan(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
      sweepBrowsers(folder)
    }
    await none(folder)
    expect(readdirSync(folder)).toEqual([])
  })
}, 240_000)
