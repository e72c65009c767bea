import type { z } from 'zod'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as alerts from '../../handlers/monitoring/alerts.ts'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import type { AlertEntry } from '../../runtime/monitoring/alert-schema.ts'
import type { Alert, alerts as collection } from '../../runtime/monitoring/alerts.ts'
import type { Machine } from '../../runtime/ports/machine.ts'
import { tick } from '../../runtime/tick.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

/** A machine whose disk a test fills. */
export const disk = { free: 50 }

const machine: Machine = {
  disk: async () => ({ free_bytes: disk.free * 1e9, total_bytes: 100e9 }),
  residentBytes: () => 300 * 1024 * 1024,
  load: async () => null,
}

export const alertHost = (own: Parameters<typeof testHost>[0] = {}) => testHost({ machine, ...own })

type Wish = Partial<Record<keyof z.output<typeof collection.New>, unknown>>

export const lowDisk = {
  name: 'Disk',
  condition: 'disk_free_pct < threshold',
  threshold: 10,
  period_minutes: 1,
}

export const create = (host: MemoryHost, wish: Wish = {}) =>
  call(alerts.create, host, { body: { ...lowDisk, ...wish } })

export const added = async (host: MemoryHost, wish: Wish = {}): Promise<Alert> => (await create(host, wish)).json()

export const shown = async (host: MemoryHost, { id }: { id: string }): Promise<Alert> =>
  (await call(alerts.show, host, { params: { id } })).json()

export const historyOf = async (host: MemoryHost, { id }: { id: string }): Promise<AlertEntry[]> =>
  (await (await call(alerts.history, host, { params: { id } })).json()).history

/** The events of the history, oldest first, without `created`. */
export const eventsOf = async (host: MemoryHost, alert: { id: string }): Promise<string[]> =>
  (await historyOf(host, alert))
    .map(({ event }) => event)
    .reverse()
    .slice(1)

/** The next checks, a minute apart. */
export async function minutes(host: MemoryHost, count = 1): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await host.clock.advance(minute)
    await tick(host)
    await host.process.running.settled()
  }
}

/** What the scheduler commits when it misses a due time. */
export const missRun = (host: MemoryHost) =>
  commit(
    host,
    [],
    [event('job.run.missed', { job_id: 'j', name: 'Missed', run_id: 'r', scheduled_for: 't', reason: null })],
  )
