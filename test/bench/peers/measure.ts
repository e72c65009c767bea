import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from '../load.ts'
import { freePort, remove } from '../processes.ts'
import { percentile } from '../table.ts'
import { type Flows, install, type Peer, type Place, sizeMb } from './peer.ts'

const starts = 3
const settle = 10_000
const callers = 16
const seconds = 10
const calls = 300
const kills = 3
const limit = 120_000

/** What one peer did; null where it has nothing to measure. */
export interface Figures {
  install_mb: number | null
  start_ms: number
  idle_mb: number
  per_second: number | null
  p50_ms: number | null
  p99_ms: number | null
  loaded_mb: number | null
  /** Of the acknowledged calls around the kills: steps that ran never, and more than once. */
  lost: number | null
  doubled: number | null
  acknowledged: number | null
}

/** Remembers how often each number was seen. */
async function startSink() {
  const seen = new Map<string, number>()
  const server = createServer((request, response) => {
    const n = request.url?.split('/').at(-1) ?? ''
    seen.set(n, (seen.get(n) ?? 0) + 1)
    request.resume().on('end', () => response.end('{}'))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end: () => server.close() }
}

class Running {
  readonly #children: ChildProcess[] = []
  readonly #peer: Peer
  readonly #place: Place

  constructor(peer: Peer, place: Place) {
    this.#peer = peer
    this.#place = place
  }

  /** Milliseconds until the program serves. */
  async start(which: 'all' | 'killed' = 'all'): Promise<number> {
    const begun = performance.now()
    const commands = this.#peer.commands(this.#place)
    for (const [index, { file, args, env }] of commands.entries()) {
      if (which === 'killed' && index > 0) break
      const options = { cwd: this.#place.folder, env: { ...process.env, ...env }, detached: true }
      this.#children[index] = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
    }
    while (!(await serves(this.#peer.ready(this.#place)))) {
      if (performance.now() - begun > limit) throw new Error(`does not serve after ${limit / 1000} s`)
      const [first] = this.#children
      if (first?.exitCode !== null) throw new Error(`exited with ${first?.exitCode}`)
      await sleep(10)
    }
    return performance.now() - begun
  }

  /** Kills the first program with all its processes, as a power cut would. */
  async kill(): Promise<void> {
    await endGroup(this.#children[0], 'SIGKILL')
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => endGroup(child, 'SIGTERM')))
  }

  /** Resident memory of the first program with its processes; that of an app beside a server is the user's own. */
  memoryMb(): number {
    return groupMb(this.#children[0]?.pid ?? 0)
  }
}

async function endGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, signal)
  const patience = sleep(10_000).then(() => process.kill(-(child.pid ?? 0), 'SIGKILL'))
  await Promise.race([gone, patience.catch(() => undefined)])
}

async function serves(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.status < 500
  } catch {
    return false
  }
}

/** Resident memory of all processes of a group, in MB; what they share counts for each. */
function groupMb(group: number): number {
  let kilobytes = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) continue
      kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    } catch {}
  }
  return kilobytes / 1024
}

/** Installs, starts, loads, kills and removes one peer. */
export async function measure(peer: Peer): Promise<Figures> {
  const own = mkdtempSync(join(tmpdir(), 'hearthd-peers-'))
  // A folder of installed peers saves the minutes of their installation.
  const installed = process.env.PEERS ? join(process.env.PEERS, peer.name) : own
  const isInstalled = existsSync(join(installed, 'node_modules'))
  const folder = isInstalled ? installed : own
  const sink = await startSink()
  const ports = await Promise.all(Array.from({ length: 4 }, freePort))
  const place: Place = { folder, data: join(own, 'data'), ports, sink: sink.url }
  const running = new Running(peer, place)
  try {
    if (peer.packages.length > 0 && !isInstalled) await install(peer, folder)
    const install_mb = peer.packages.length > 0 ? await sizeMb(join(folder, 'node_modules')) : null
    mkdirSync(place.data, { recursive: true })
    await peer.prepare?.(place)
    await running.start()
    const flows = (await peer.open?.(place)) ?? null
    await running.stop()
    const times: number[] = []
    for (let round = 0; round < starts; round += 1) {
      if (round > 0) await running.stop()
      times.push(await running.start())
    }
    await sleep(settle)
    const idle = { install_mb, start_ms: percentile(times, 0.5), idle_mb: running.memoryMb() }
    return { ...idle, ...(await loaded(flows, running)), ...(await killed(flows, running, sink.seen)) }
  } finally {
    await running.stop()
    sink.end()
    remove(own)
  }
}

async function loaded(flows: Flows | null, running: Running) {
  if (!flows?.three) return { per_second: null, p50_ms: null, p99_ms: null, loaded_mb: null }
  const headers = { 'content-type': 'application/json', ...flows.headers }
  const { per_second, p50_ms, p99_ms, failed } = await load({
    ...{ url: flows.three, method: 'POST', headers, body: '{"n":1}', connections: callers, seconds },
  })
  if (failed > 0) console.log(`    ${failed} calls failed`)
  return { per_second, p50_ms, p99_ms, loaded_mb: running.memoryMb() }
}

/** Calls one after the other in four lanes, while the program is killed and started again. */
async function killed(flows: Flows | null, running: Running, seen: Map<string, number>) {
  if (!flows?.effect) return { lost: null, doubled: null, acknowledged: null }
  const acknowledged: number[] = []
  let next = 1
  const lane = async () => {
    while (next <= calls) {
      const n = next
      next += 1
      if (await accepted(flows, n)) acknowledged.push(n)
      await sleep(20)
    }
  }
  const ends = async () => {
    for (let kill = 1; kill <= kills; kill += 1) {
      while (next < (calls * kill) / (kills + 1)) await sleep(5)
      await running.kill()
      await running.start('killed')
    }
  }
  await Promise.all([lane(), lane(), lane(), lane(), ends()])
  await settled(seen)
  const times = acknowledged.map((n) => seen.get(String(n)) ?? 0)
  return {
    acknowledged: acknowledged.length,
    lost: times.filter((count) => count === 0).length,
    doubled: times.filter((count) => count > 1).length,
  }
}

async function accepted({ effect, headers }: Flows, n: number): Promise<boolean> {
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const answer = await fetch(effect, { ...init, body: JSON.stringify({ n }) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    // Nobody listens while it starts again.
    await sleep(50)
    return false
  }
}

/** Until nothing new was seen for a while; Restate and Inngest try again after some seconds. */
async function settled(seen: Map<string, number>): Promise<void> {
  const total = () => [...seen.values()].reduce((sum, count) => sum + count, 0)
  for (let before = -1; before !== total(); ) {
    before = total()
    await sleep(settle)
  }
}
