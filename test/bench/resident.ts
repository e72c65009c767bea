import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWire, text } from '../fixtures/wire/index.ts'
import { BrowserDaemon } from './browser-daemon.ts'
import { remove, residentMb, startDaemonProcess } from './processes.ts'
import type { Row } from './table.ts'

const requests = Number(process.env.REQUESTS ?? 20_000)
const turns = Number(process.env.TURNS ?? 2_000)
const episodes = Number(process.env.EPISODES ?? 1_000)
const imported = Number(process.env.IMPORTED ?? 10_000)
const searches = Number(process.env.SEARCHES ?? 1_000)
const openings = Number(process.env.OPENINGS ?? 50)
/** Seconds between the load and the last measurement. */
const rest = Number(process.env.REST ?? 120)
/** Only the loads whose description contains this. */
const only = process.env.LOAD ?? ''
const connections = 16

type Work = (daemon: BrowserDaemon) => Promise<unknown>

/** Runs `work` for 0, 1, 2 … `count - 1`, at most `connections` at once. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(connections, count) }, client))
}

const episode = (index: number) => ({
  content: `Episode ${index}: Priya planted ${index % 40} tomatoes near the fence and watered them twice this week.`,
  topics: ['garden'],
})

/** What a home page, a device and a script ask for; a request that is refused counts too. */
const mixed: [method: string, path: string, body?: (index: number) => unknown][] = [
  ['GET', '/api/memory/episodes'],
  ['POST', '/api/memory/episodes', (index) => episode(index)],
  ['GET', '/api/scheduler/jobs'],
  ['GET', '/api/memory/search?q=tomatoes'],
  ['GET', '/api/agents'],
  ['GET', '/api/settings'],
  ['POST', '/api/scheduler/jobs', (index) => job(index)],
  ['GET', '/api/chat/conversations'],
  ['GET', '/health'],
  ['POST', '/api/chat/conversations', (index) => ({ title: `Conversation ${index}` })],
  ['GET', '/api/metrics/prometheus'],
  ['GET', '/api/monitoring/usage'],
  ['GET', '/api/no/such/path'],
  ['GET', '/api/scheduler/stats'],
  ['GET', '/'],
  ['GET', '/api/openapi.json'],
]

const job = (index: number) => ({
  name: `Job ${index}`,
  goal: 'Summarise my inbox',
  schedule: { type: 'cron', expression: '0 9 * * 1' },
})

const sendMixed: Work = (daemon) =>
  each(requests, async (index) => {
    const [method, path, body] = mixed[index % mixed.length] ?? ['GET', '/health']
    const { status } = await daemon.ask(method, path, body?.(index))
    seen[`${method} ${path} ${status}`] = (seen[`${method} ${path} ${status}`] ?? 0) + 1
  }).then(() => console.log(seen))
const seen: Record<string, number> = {}

const embed =
  (count: number): Work =>
  async (daemon) => {
    await each(count, (index) => daemon.send('POST', '/api/memory/episodes', episode(index)))
    while ((await daemon.send('GET', '/api/memory/search?q=tomatoes')).degraded) await sleep(2_000)
  }

const chat: Work = async (daemon) => {
  await using wire = await startWire()
  const answer = Array.from({ length: 400 }, (_, index) => `word${index} `).join('')
  for (let index = 0; index < 2 * turns; index += 1) wire.script(text(answer))
  const access = { api_key: 'bench', base_url: wire.url.openai, default_model: 'bench' }
  await daemon.send('PUT', '/api/providers/openai/key', access)
  for (let index = 0; index < turns; index += 1)
    await daemon.ask('POST', '/api/chat/messages/stream', { message: 'Say many words' })
}

const names = ['Priya', 'Omar', 'Lena', 'Jonas', 'tomatoes', 'garden', 'fence', 'watered']

const search: Work = (daemon) =>
  each(searches, (index) =>
    daemon.send('GET', `/api/memory/search?q=${names[index % names.length]}%20and%20number%20${index}`),
  )

const importAll: Work = async (daemon) => {
  const all = Array.from({ length: imported }, (_, index) => episode(index))
  await daemon.send('POST', '/api/settings/memory/import', { format: 'hearthd-memory', version: 1, episodes: all })
  while ((await daemon.send('GET', '/api/memory/search?q=tomatoes')).degraded) await sleep(2_000)
}

const browse: Work = async (daemon) => {
  const site = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title><button>Press</button>'),
  ).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  for (let index = 0; index < openings; index += 1) {
    await daemon.goto(origin)
    await daemon.send('GET', '/api/browser/snapshot')
    await daemon.send('POST', '/api/browser/close')
  }
  site.close()
}

const loads: Record<string, Work> = {
  nothing: async () => undefined,
  [`${requests} mixed requests`]: sendMixed,
  [`${turns} turns`]: chat,
  'one episode embedded': embed(1),
  [`${episodes} episodes embedded`]: embed(episodes),
  [`${searches} searches`]: search,
  [`import of ${imported} episodes`]: importAll,
  [`${openings} openings of the browser`]: browse,
  async 'all of these'(daemon) {
    for (const work of [sendMixed, chat, importAll, search, browse]) await work(daemon)
  },
}

/** Resident memory in MB of the daemon and of its own helper processes, without Chromium's. */
function residentOf(daemon: ChildProcess): number {
  const children = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8').split(' ').map(Number)
  return children.filter(Boolean).reduce((sum, pid) => sum + helperMb(pid), residentMb(daemon))
}

function helperMb(pid: number): number {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('hearthd') ? residentMb({ pid }) : 0
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

/** Resident memory of the daemon before, during and after each load, each on a daemon of its own. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, work] of Object.entries(loads)) {
    if (!what.includes(only)) continue
    rows.push(await measure(what, work))
  }
  return rows
}

async function measure(what: string, work: Work): Promise<Row> {
  const running = await startDaemonProcess()
  const resident = () => residentOf(running.process)
  const daemon = await BrowserDaemon.setUp(running)
  await sleep(5_000)
  const before = resident()
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, resident())), 200)
  await work(daemon)
  clearInterval(watch)
  const end = resident()
  await sleep(rest * 1_000)
  const after = resident()
  await running.end()
  remove(running.folder)
  const note = `peak ${peak.toFixed(0)}, at the end ${end.toFixed(0)}`
  return { what: `${rest} s after ${what}`, value: after, unit: 'MB', baseline: before, note }
}
