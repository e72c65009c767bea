import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { startDaemon } from '../../adapters/node/daemon.ts'
import { readEnvironment } from '../../adapters/node/environment.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import type { Host } from '../../runtime/host.ts'
import { newId } from '../../runtime/id.ts'
import { insertJob, type StoredJob } from '../../runtime/scheduler/job-store.ts'
import { NewJob } from '../../runtime/scheduler/schema.ts'
import { nextRun } from '../../runtime/schedules/next-run.ts'
import { tick } from '../../runtime/tick.ts'
import { day, iso, second } from '../../runtime/time.ts'
import { percentile, type Row } from './table.ts'

const sizes = [100, 1_000, 10_000, 100_000]
const ticks = 200
const atOnce = 1_000
const steady = { each_second: 10, seconds: 20 }

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Stores jobs that are due once, at `due(index)`, as the API would. */
async function fill(host: Host, count: number, due: (index: number) => number): Promise<void> {
  const agent = await requireDefaultAgent(host)
  const now = iso(host.clock.now())
  const jobs = Array.from({ length: count }, (_, index): StoredJob => {
    const at = iso(due(index))
    const wish = NewJob.parse({
      name: `job ${index}`,
      goal: 'What is 2 + 2?',
      schedule: { type: 'at', datetime: at },
    })
    const fresh = {
      paused_reason: null,
      last_run_at: null,
      last_status: null,
      run_count: 0,
      consecutive_failures: 0,
    }
    const stamps = { created_at: now, updated_at: now, anchor_at: now }
    const id = newId('job', host.clock.now())
    return {
      ...wish,
      id,
      owner_id: '',
      trust: 'owner' as const,
      agent_id: agent.id,
      status: 'active',
      next_run_at: at,
      ...fresh,
      ...stamps,
    }
  })
  for (let index = 0; index < jobs.length; index += 1_000)
    await host.sql.write(jobs.slice(index, index + 1_000).map((job) => insertJob(job, now)))
}

/** Stores jobs that are due in a month. */
export const fillJobs = (host: Host, count: number): Promise<void> =>
  fill(host, count, (index) => host.clock.now() + 30 * day + index)

async function tickCost(host: Host): Promise<number> {
  const taken: number[] = []
  for (let index = 0; index < ticks; index += 1) {
    const begun = performance.now()
    await tick(host)
    taken.push(performance.now() - begun)
  }
  return percentile(taken, 0.5)
}

/** Milliseconds between each run's due time and its start, once all of them have ended. */
async function lateness(host: Host, count: number, since: string): Promise<number[]> {
  for (;;) {
    const rows = await host.sql.read<{ started_at: string; scheduled_for: string }>(
      `SELECT started_at, scheduled_for FROM scheduler_runs WHERE scheduled_for >= ? AND completed_at IS NOT NULL`,
      [since],
    )
    if (rows.length >= count) return rows.map((row) => Date.parse(row.started_at) - Date.parse(row.scheduled_for))
    await pause(200)
  }
}

function nextRunCost(): number {
  const schedule = { type: 'cron' as const, expression: '*/5 8-18 * * MON-FRI', timezone: 'Europe/Berlin' }
  const place = { zone: 'UTC', anchor: 0 }
  let at = Date.UTC(2026, 0)
  const begun = performance.now()
  for (let index = 0; index < 20_000; index += 1) at = nextRun(schedule, at, place) ?? at
  return ((performance.now() - begun) / 20_000) * 1_000
}

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const environment = readEnvironment({
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: folder,
  })
  const daemon = await startDaemon({
    environment,
    log: createMemoryLog(),
    web_folder: join(folder, 'none'),
  })
  const { host } = daemon
  const rows: Row[] = [{ what: 'next due time of a cron expression', value: nextRunCost(), unit: 'µs' }]
  let stored = 0
  for (const size of sizes) {
    await fillJobs(host, size - stored)
    stored = size
    rows.push({ what: `idle tick with ${size} active jobs, p50`, value: await tickCost(host), unit: 'ms' })
  }
  const due = Math.ceil(host.clock.now() / second) * second + 3 * second
  await fill(host, atOnce, (index) => due + (index % second))
  host.process.wake()
  const burst = await lateness(host, atOnce, iso(due))
  rows.push({
    what: `${atOnce} due in one second, start of the last`,
    value: Math.max(...burst),
    unit: 'ms late',
  })
  rows.push({ what: `${atOnce} due in one second, p50`, value: percentile(burst, 0.5), unit: 'ms late' })
  const from = Math.ceil(host.clock.now() / second) * second + 3 * second
  const count = steady.each_second * steady.seconds
  await fill(host, count, (index) => from + (index * second) / steady.each_second)
  host.process.wake()
  const calm = await lateness(host, count, iso(from))
  rows.push({ what: `${steady.each_second} a second, p99`, value: percentile(calm, 0.99), unit: 'ms late' })
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
  return rows
}
