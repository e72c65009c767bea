import { createHmac } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { bundleWorker } from '../../adapters/worker/bundle.ts'
import { startWorkerd } from '../hosts/workerd.ts'
import { remove } from './processes.ts'
import { percentile, type Row } from './table.ts'

const count = Number(process.env.HOMES ?? 200)
/** Homes with a user, who signs in and asks: a password costs a second. */
const used = 10
const requests = 50

const nameOf = (index: number) => `h${index}.hearth.example`
const tokenOf = (name: string) =>
  createHmac('sha256', 'let me in').update(`hearthd setup token of ${name}`).digest('hex')

/** Bytes of memory of the workerd that this process has started. */
function residentBytes(): number {
  const sizes = globSync('/proc/[0-9]*/status').map((file) => {
    const text = read(file)
    const isOurs = /^Name:\s+workerd$/m.test(text) && new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(text)
    return isOurs ? Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024 : 0
  })
  return Math.max(...sizes)
}

/** Processes end while they are listed. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const mib = (bytes: number) => bytes / 2 ** 20

/** Many homes in one workerd: what each costs, and what it costs to wake one that sleeps. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const { modules } = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
  const workerd = startWorkerd({ modules, persist: folder, bindings: { SERVICE_HOMES: '*.hearth.example' } })
  await workerd.ready
  try {
    return await measure(workerd, folder)
  } finally {
    await workerd.dispose()
    remove(folder)
  }
}

async function measure(workerd: Miniflare, folder: string): Promise<Row[]> {
  const send = async (index: number, path: string, init: { method?: string; headers?: object; body?: string } = {}) => {
    const headers = { 'x-setup-token': tokenOf(nameOf(index)), 'content-type': 'application/json', ...init.headers }
    const response = await workerd.dispatchFetch(`http://${nameOf(index)}${path}`, { ...init, headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  const sleep = (index: number) =>
    workerd.unsafeEvictDurableObject('hearthd', 'Hearth', { name: nameOf(index), webSockets: 'close' })
  const storedBytes = () =>
    globSync('**/*', { cwd: folder }).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)

  const first = await timed(() => send(0, '/health'))
  const before = { memory: residentBytes(), storage: storedBytes() }
  const opened: number[] = []
  for (let index = 1; index < count; index += 1) opened.push(await timed(() => send(index, '/health')))
  const [memory, storage] = [residentBytes() - before.memory, storedBytes() - before.storage]
  const keys: string[] = []
  const setups: number[] = []
  for (let index = 0; index < used; index += 1) {
    const body = JSON.stringify({ username: 'ada', password: 'correct horse battery' })
    setups.push(
      await timed(async () => {
        const { api_key } = await send(index, '/api/setup/admin', { method: 'POST', body })
        keys.push(api_key.key)
      }),
    )
  }
  const ask = (index: number) => send(index, '/api/agents', { headers: { authorization: `Bearer ${keys[index]}` } })
  const asked: number[] = []
  for (let index = 0; index < requests * used; index += 1) asked.push(await timed(() => ask(index % used)))
  const woken: number[] = []
  for (let index = 0; index < used; index += 1) {
    await sleep(index)
    woken.push(await timed(() => ask(index)))
  }
  const all = await timed(() => Promise.all(Array.from({ length: count }, (_, index) => send(index, '/health'))))
  const median = (samples: number[]) => percentile(samples, 0.5)
  const p95 = (samples: number[]) => ({ note: `p95 ${percentile(samples, 0.95).toFixed(1)}` })
  return [
    { what: 'first request of the first home', value: first, unit: 'ms' },
    { what: `first request of each of ${count - 1} more`, value: median(opened), unit: 'ms', ...p95(opened) },
    {
      what: 'memory of each',
      value: mib(memory) / (count - 1),
      unit: 'MiB',
      note: `${mib(residentBytes()).toFixed(0)} in all`,
    },
    { what: 'storage of each', value: mib(storage) / (count - 1), unit: 'MiB' },
    { what: 'setup, with a password', value: median(setups), unit: 'ms' },
    { what: 'authenticated request', value: median(asked), unit: 'ms', ...p95(asked) },
    { what: 'the same of a home that slept', value: median(woken), unit: 'ms', ...p95(woken) },
    { what: `one request to each of ${count} at once`, value: all, unit: 'ms' },
  ]
}
