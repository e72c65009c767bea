import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { browserFolder } from '../../adapters/node/lazy.ts'
import { BrowserDaemon } from './browser-daemon.ts'
import { BrowserProcesses, folderMb } from './browser-processes.ts'
import { remove, residentMb, startDaemonProcess } from './processes.ts'
import { percentile, type Row } from './table.ts'

const openings = Number(process.env.OPENINGS ?? 200)
const kills = Number(process.env.KILLS ?? 20)
/** Openings after which the memory is first taken: by then all that is loaded once has been. */
const warm = Math.min(20, openings - 1)
/** Milliseconds at most between the beginning of what is under way and the kill. */
const latest = 2_500

const moving = '<style>@keyframes a{to{left:500px}}b{position:absolute;animation:a 1s infinite}</style><b>moves</b>'

interface Site {
  origin: string
  close(): void
}

/** A page at once, one that moves, and one that takes its time. */
async function openSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(moving)
    setTimeout(answer, request.url === '/slow' ? 1_500 : 0)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** Opens and closes the browser through the daemon, many times; then kills the daemon at whatever it is doing. */
export async function run(): Promise<Row[]> {
  const site = await openSite()
  const running = await startDaemonProcess()
  const daemon = await BrowserDaemon.setUp(running)
  try {
    const opened = await openOften(daemon, site)
    await running.end()
    return [...opened, ...(await killOften(running.folder, { key: daemon.key, site }))]
  } finally {
    if (running.process.exitCode === null) await running.end()
    remove(running.folder)
    site.close()
  }
}

async function openOften(daemon: BrowserDaemon, { origin }: Site): Promise<Row[]> {
  const folder = browserFolder(daemon.running.folder)
  const processes = new BrowserProcesses(folder)
  const first: number[] = []
  const again: number[] = []
  let before = 0
  for (let round = 0; round < openings; round += 1) {
    first.push(await timed(() => daemon.goto(origin)))
    again.push(await timed(() => daemon.goto(origin)))
    await daemon.send('GET', '/api/browser/snapshot')
    processes.living()
    await daemon.send('POST', '/api/browser/close')
    if (round === warm) before = residentMb(daemon.running.process)
  }
  const after = residentMb(daemon.running.process)
  return [
    { what: 'first action, nothing loaded or unpacked', value: first[0] ?? 0, unit: 'ms' },
    { what: 'first action of a browser that opens, p50', value: percentile(first.slice(1), 0.5), unit: 'ms' },
    { what: 'the next action, p50', value: percentile(again, 0.5), unit: 'ms' },
    { what: `processes left after ${openings} openings`, value: processes.living().length, unit: '' },
    { what: 'temporary files left', value: folderMb(join(folder, 'tmp')), unit: 'MB' },
    { what: `memory after ${openings} openings, of ${warm + 1}`, value: after, unit: 'MB', baseline: before },
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const doings: ((daemon: BrowserDaemon, site: Site) => Promise<unknown>)[] = [
  (daemon, { origin }) => daemon.goto(origin),
  (daemon, { origin }) => daemon.goto(`${origin}/slow`),
  async (daemon, { origin }) => {
    await daemon.goto(origin)
    daemon.watch()
  },
  async (daemon, { origin }) => {
    await daemon.goto(origin)
    await daemon.send('POST', '/api/browser/screen-recording', { action: 'start' })
  },
  (daemon, { origin }) => Promise.all([daemon.goto(origin), daemon.send('POST', '/api/browser/close')]),
]

async function killOften(folder: string, { key, site }: { key: string; site: Site }): Promise<Row[]> {
  const processes = new BrowserProcesses(browserFolder(folder))
  const temporary: number[] = []
  const ready: number[] = []
  let orphans = 0
  for (let round = 0; round < kills; round += 1) {
    const daemon = new BrowserDaemon(await startDaemonProcess(folder), key)
    ready.push(daemon.running.ready_ms)
    orphans += await left(processes)
    temporary.push(folderMb(join(browserFolder(folder), 'tmp')))
    doings[round % doings.length]?.(daemon, site).catch(() => undefined)
    await pause(Math.random() * latest)
    processes.living()
    await daemon.kill()
  }
  const last = new BrowserDaemon(await startDaemonProcess(folder), key)
  orphans += await left(processes)
  const works = await last.goto(site.origin).then(
    () => 1,
    () => 0,
  )
  await last.running.end()
  return [
    { what: `processes left by ${kills} killed daemons`, value: orphans, unit: '' },
    { what: 'the same after the last has ended', value: await left(processes), unit: '' },
    { what: 'temporary files after a start, most', value: Math.max(...temporary), unit: 'MB' },
    { what: 'start after a kill, p50', value: percentile(ready, 0.5), unit: 'ms' },
    { what: 'the browser works after the last kill', value: works, unit: '(1: yes)' },
  ]
}

/** A process that was killed is there for a moment more. */
async function left(processes: BrowserProcesses): Promise<number> {
  await pause(500)
  return processes.living().length
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
