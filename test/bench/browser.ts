import { once } from 'node:events'
import { Agent, createServer, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { Dialogs } from '../../adapters/browser/page/dialogs.ts'
import { perform } from '../../adapters/browser/page/perform.ts'
import { type PageView, render, viewPage } from '../../adapters/browser/page/snapshot.ts'
import { startProxy } from '../../adapters/browser/proxy.ts'
import { launchChromium } from '../support/browser.ts'
import { percentile, type Row } from './table.ts'

const count = 2_000
const rounds = 15
const clicks = 60
const requests = 300

const buttons = (many: number) =>
  `<body>${Array.from({ length: many }, (_, place) => `<button>Button number ${place}</button>`).join('\n')}`

async function times(rounds: number, work: (round: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await work(round)
    taken.push(performance.now() - begun)
  }
  return taken
}

/** Snapshots of a long page beside the driver's own, and clicks by number beside its bare ones, on one Chromium. */
export async function run(): Promise<Row[]> {
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
  await page.setContent(buttons(count))
  let view = await viewPage(page)
  const snapshots = await times(rounds, async () => {
    view = await viewPage(page)
    return render(view, {}, null)
  })
  const whole = render(view, { max_chars: 1_000_000 }, null).snapshot
  const aria = await times(rounds, () => page.locator('body').ariaSnapshot())
  const ariaText = await page.locator('body').ariaSnapshot()
  const [ours, bare] = await clickTimes(page)
  await browser.close()
  const [proxied, direct] = await requestTimes()
  const told = render(view, {}, null)
  return [
    row(`snapshot of ${count} elements, p50`, percentile(snapshots, 0.5), percentile(aria, 0.5), 'ms'),
    row(`snapshot of ${count} elements, p95`, percentile(snapshots, 0.95), percentile(aria, 0.95), 'ms'),
    row('characters of all of it', whole.length, ariaText.length, 'chars'),
    { what: 'characters as it is told', value: told.snapshot.length, unit: 'chars' },
    row('click by number, p50', percentile(ours, 0.5), percentile(bare, 0.5), 'ms'),
    row('click by number, p95', percentile(ours, 0.95), percentile(bare, 0.95), 'ms'),
    row('request through the only way out, p50', percentile(proxied, 0.5), percentile(direct, 0.5), 'ms'),
  ]
}

const row = (what: string, value: number, baseline: number, unit: string): Row => ({
  what,
  value,
  unit,
  baseline,
})

/** In turns, so that both meet the same machine. */
async function clickTimes(page: Page): Promise<[number[], number[]]> {
  await page.setContent(buttons(20))
  const dialogs = new Dialogs()
  const view: PageView = await viewPage(page)
  const allow = async (url: string) => url
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < clicks; round += 1) {
    const index = 1 + (round % 20)
    const act = () => perform({ page, view, dialogs, allow, action: { action: 'click', index } })
    const driven = () =>
      page
        .locator('button')
        .nth(index - 1)
        .click()
    const [one, other] = round % 2 === 0 ? [act, driven] : [driven, act]
    const [first = 0] = await times(1, one)
    const [second = 0] = await times(1, other)
    ours.push(round % 2 === 0 ? first : second)
    bare.push(round % 2 === 0 ? second : first)
  }
  return [ours, bare]
}

/** A small page asked for through the proxy of the browser, and straight. */
async function requestTimes(): Promise<[number[], number[]]> {
  const server = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await startProxy(async () => ['127.0.0.1'])
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address() as AddressInfo
  const ask = async (to: RequestOptions) => {
    const [response] = await once(request({ ...to, agent }).end(), 'response')
    await once(response.resume(), 'end')
  }
  const { hostname, port: way } = new URL(proxy.server)
  const through = { hostname, port: way, path: `http://shop.example:${port}/` }
  const proxied = await times(requests, () => ask(through))
  const direct = await times(requests, () => ask({ hostname: '127.0.0.1', port, path: '/' }))
  agent.destroy()
  await proxy.close()
  server.close()
  return [proxied, direct]
}
