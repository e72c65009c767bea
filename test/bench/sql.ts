import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { type Daemon, startDaemon } from '../../adapters/node/daemon.ts'
import { readEnvironment } from '../../adapters/node/environment.ts'
import { newId } from '../../runtime/id.ts'
import { tick } from '../../runtime/tick.ts'
import { iso, minute } from '../../runtime/time.ts'
import { startWire, text } from '../fixtures/wire/index.ts'
import { type StatementCost, StatementCosts } from '../support/statement-costs.ts'
import { drawn } from '../workflows/kit.ts'
import { remove, setUp } from './processes.ts'
import { fillJobs } from './scheduler.ts'
import type { Row } from './table.ts'

/** The rows that each scenario runs beside; the second is ten times the first, and should cost the same. */
interface Backlog {
  episodes: number
  waiting: number
  queued: number
  jobs: number
}
const backlogs: readonly [Backlog, Backlog] = [
  { episodes: 200, waiting: 95, queued: 70, jobs: 1_000 },
  { episodes: 2_000, waiting: 950, queued: 700, jobs: 10_000 },
]
const repeats = 20
const shown = 10

interface Bench {
  daemon: Daemon
  send<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Reads a stream to its end. */
  stream(path: string, body: unknown): Promise<void>
}

async function open(folder: string): Promise<Bench> {
  const environment = readEnvironment({
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: folder,
  })
  const daemon = await startDaemon({ environment, log: createMemoryLog(), web_folder: join(folder, 'none') })
  const headers = {
    authorization: `Bearer ${await setUp(daemon.url)}`,
    'content-type': 'application/json',
  }
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(daemon.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    daemon,
    async send(method, path, body) {
      const response = await ask(method, path, body)
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.json() as never
    },
    stream: async (path, body) => void (await (await ask('POST', path, body)).text()),
  }
}

const set = { type: 'set', params: { values: { n: '=input.body.n' } } }
const flow = drawn({ hook: { type: 'trigger.webhook' }, a: set, b: set, c: set }, ['hook → a', 'a → b', 'b → c'], {
  settings: { mode: 'parallel', max_concurrent: 64 },
})

interface Prepared {
  hook: string
  workflow: string
}

async function prepare({ send }: Bench): Promise<Prepared> {
  const { id } = await send<{ id: string }>('POST', '/api/workflows', flow)
  await send('POST', `/api/workflows/${id}/activate`)
  const { triggers } = await send<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
  return { hook: triggers[0]?.path ?? '', workflow: id }
}

/** Rows as the areas would store them; the units and executions of the backlog never run. */
async function fill({ daemon: { host }, send }: Bench, { workflow }: Prepared, from: Backlog, to: Backlog) {
  const now = host.clock.now()
  const episodes = Array.from({ length: to.episodes - from.episodes }, (_, index) => ({
    content: `Episode ${index}: tomatoes, a thing worth keeping, of a usual length.`,
    topics: ['bench'],
  }))
  for (let index = 0; index < episodes.length; index += 200)
    await Promise.all(
      episodes.slice(index, index + 200).map((episode) => send('POST', '/api/memory/episodes', episode)),
    )
  const [running] = await host.sql.read<{ owner_id: string }>('SELECT owner_id FROM workflows WHERE id = ?', [workflow])
  const execution = `INSERT INTO workflow_executions (id, owner_id, workflow_id, version, trigger, status, revision, state,
    input, use_pin_data, depth, created_at, started_at) VALUES (?, ?, ?, 1, 'webhook', 'waiting', 0,
    '{"tokens":[],"frames":[],"merges":[]}', 'null', 0, 0, ?, ?)`
  await host.sql.write(
    Array.from({ length: to.waiting - from.waiting }, () => ({
      sql: execution,
      args: [newId('exec', now), running?.owner_id ?? '', workflow, iso(now), iso(now)],
    })),
  )
  const unit = `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
    VALUES (?, 'workflows.step', 'none', 'bench', '{}', ?, ?, 0, ?)`
  const due = iso(now - minute)
  await host.sql.write([
    ...(from.queued === 0 ? [{ sql: unit, args: [newId('work', now), 'waiting', due, due] }] : []),
    ...Array.from({ length: to.queued - from.queued }, () => ({
      sql: unit,
      args: [newId('work', now), 'queued', due, due],
    })),
  ])
  await fillJobs(host, to.jobs - from.jobs)
}

type Scenario = (bench: Bench, prepared: Prepared) => Promise<unknown>

const scenarios: Record<string, Scenario> = {
  'read of 20 rows': ({ send }) => send('GET', '/api/memory/episodes?limit=20'),
  'durable write': ({ send }) => send('POST', '/api/agents', { name: `agent ${newId('a', 0)}` }),
  'chat turn': ({ stream }) => stream('/api/chat/messages/stream', { message: 'Say many words' }),
  search: ({ send }) => send('GET', '/api/memory/search?q=tomatoes&limit=20'),
  'webhook with 3 nodes': async ({ daemon, send }, { hook }) => {
    const { execution_id } = await send<{ execution_id: string }>('POST', hook, { n: 1 })
    for (;;) {
      const rows = await daemon.host.sql.read(
        'SELECT 1 FROM workflow_executions WHERE id = ? AND completed_at IS NULL',
        [execution_id],
      )
      if (rows.length === 0) return
      await sleep(2)
    }
  },
  tick: ({ daemon }) => tick(daemon.host),
}

/** Waits until what the backlog has queued for the background is done, so that it is not counted. */
async function settled({ daemon: { host } }: Bench): Promise<void> {
  await sleep(1_000)
  while (host.process.running.count() > 0) await sleep(100)
}

async function measure(bench: Bench, prepared: Prepared, costs: StatementCosts, only: string) {
  const measured = new Map<string, StatementCost[]>()
  for (const [name, run] of Object.entries(scenarios)) {
    if (!name.includes(only)) continue
    await run(bench, prepared)
    await settled(bench)
    costs.reset()
    for (let index = 0; index < repeats; index += 1) await run(bench, prepared)
    await settled(bench)
    measured.set(name, costs.costs())
  }
  return measured
}

const perRow = ({ steps, rows, calls }: StatementCost) => steps / Math.max(rows, calls)

/**
 * The most expensive statements of each scenario: time and instructions of SQLite for each repeat, and how much more
 * instructions a call needs at ten times the backlog. `ONLY=tick` for one scenario.
 */
export async function run(): Promise<Row[]> {
  const only = process.env.ONLY ?? ''
  await using wire = await startWire()
  for (let index = 0; index < 4 * repeats; index += 1) wire.script(text('word '.repeat(50)))
  const costs = StatementCosts.install()
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const bench = await open(folder)
  const access = { api_key: 'bench', base_url: wire.url.openai, default_model: 'bench' }
  await bench.send('PUT', '/api/providers/openai/key', access)
  const prepared = await prepare(bench)
  const [few, many] = backlogs
  await fill(bench, prepared, { episodes: 0, waiting: 0, queued: 0, jobs: 0 }, few)
  const before = await measure(bench, prepared, costs, only)
  await fill(bench, prepared, few, many)
  const after = await measure(bench, prepared, costs, only)
  await bench.daemon.close()
  costs.uninstall()
  remove(folder)
  return [...after].flatMap(([name, list]) => rowsOf(name, list, before.get(name) ?? []))
}

function rowsOf(name: string, costs: readonly StatementCost[], earlier: readonly StatementCost[]): Row[] {
  const total = costs.reduce((sum, { ms }) => sum + ms, 0) / repeats
  const most = [...costs].sort((left, right) => right.ms - left.ms).slice(0, shown)
  return [
    {
      what: `${name}: all statements`,
      value: total,
      unit: 'ms',
      note: `${costs.reduce((sum, { calls }) => sum + calls, 0) / repeats} calls`,
    },
    ...most.map((cost) => {
      const small = earlier.find(({ sql }) => sql === cost.sql)
      const growth = small ? cost.steps / cost.calls / (small.steps / small.calls) : Number.NaN
      return {
        what: `  ${cost.sql.replace(/\s+/g, ' ').slice(0, 90)}`,
        value: cost.ms / repeats,
        unit: 'ms',
        note: `${cost.calls / repeats} calls, ${Math.round(cost.steps / cost.calls)} steps each, ${Math.round(perRow(cost))} a row, × ${growth.toFixed(1)} at ten times the backlog`,
      }
    }),
  ]
}
