import { commit } from './events/commit.ts'
import type { Host } from './host.ts'
import { longestWaitOf } from './tick-times.ts'
import { second } from './time.ts'
import type { WorkKind } from './work/kind.ts'
import { type WorkKinds, workKinds } from './work/kinds.ts'
import { recoverWork } from './work/recover.ts'
import { Cancelled, startWork } from './work/run.ts'
import { sourcesOf } from './work/source.ts'
import { bringForward, claimDue, dueKinds, nextDue, renewLeases } from './work/store.ts'

const renewal = 20 * second

/** Leases are renewed more often if another process may take them over, or ask to stop a unit. */
const renewalOf = (host: Host) => Math.min(renewal, longestWaitOf(host))

export interface TickResult {
  /** Time of the next tick, in milliseconds since the epoch. */
  next: number
  /** The next due time; null if nothing is due ever. Until then a host of which no other shares the store may sleep. */
  due: number | null
  /** The units that were started. A host that can be suspended waits for them. */
  started: Promise<void>[]
}

/** Starts due work and renews the leases of running work. Writes nothing when idle. */
export async function tick(host: Host, kinds: WorkKinds = workKinds(host)): Promise<TickResult> {
  if (host.process.stopping.aborted) return { next: host.clock.now() + longestWaitOf(host), due: null, started: [] }
  await detectClockRollback(host)
  await renewOwnLeases(host)
  await recoverWork(host, kinds, false)
  for (const source of sourcesOf(host)) await source.queueDue(host)
  const started: Promise<void>[] = []
  for (const name of await dueKinds(host)) {
    const kind = await kinds.get(name)
    if (kind) started.push(...(await startDue(host, kind)))
  }
  const due = await nextDueTime(host)
  const next = Math.min(due ?? Number.POSITIVE_INFINITY, host.clock.now() + maxWait(host))
  host.process.next_tick_at = next
  return { next, due, started }
}

/**
 * Reads the events that were committed last and runs only the work that reports them, until none is due. For a host that
 * is about to stop and calls `tick` no more.
 */
export async function reportLastEvents(host: Host, kinds: WorkKinds = workKinds(host)): Promise<void> {
  const { running, stopping } = host.process
  while (!stopping.aborted) {
    for (const source of sourcesOf(host)) await source.queueDue(host)
    for (const name of await dueKinds(host)) {
      const kind = await kinds.get(name)
      if (kind?.reports_events) await startDue(host, kind)
    }
    const reporting = await Promise.all(
      running.kinds.map(async (name) => ((await kinds.get(name))?.reports_events ? running.idsOf(name) : [])),
    )
    if (reporting.flat().length === 0) return
    await running.settled(reporting.flat())
  }
}

/** After a clock rollback, queued work must not wait until the clock reaches its old time again. */
async function detectClockRollback(host: Host): Promise<void> {
  const now = host.clock.now()
  const latest = host.process.ticked_at
  host.process.ticked_at = now
  if (now >= latest) return
  await commit(host, [bringForward(host)])
  for (const source of sourcesOf(host)) await source.clockSetBack(host, latest)
}

async function startDue(host: Host, kind: WorkKind): Promise<Promise<void>[]> {
  const free = kind.max_running - host.process.running.count(kind.kind)
  if (free <= 0) return []
  const claimed = await claimDue(host, kind, free)
  return claimed.map((work) => startWork(host, kind, work))
}

async function renewOwnLeases(host: Host): Promise<void> {
  const { running } = host.process
  const now = host.clock.now()
  if (running.count() === 0 || Math.abs(now - running.renewed_at) < renewalOf(host)) return
  const [renewed] = await commit(host, [renewLeases(host)])
  running.renewed_at = now
  for (const { id, stop_requested } of renewed?.rows ?? []) {
    running.renewed(String(id), now)
    if (typeof stop_requested === 'string') running.abort(String(id), new Cancelled(stop_requested))
  }
}

async function nextDueTime(host: Host): Promise<number | null> {
  const scheduled = await Promise.all(sourcesOf(host).map((source) => source.nextDue(host)))
  const due = [await nextDue(host), ...scheduled].filter((time) => time !== null)
  return due.length === 0 ? null : Math.min(...due)
}

const maxWait = (host: Host) => (host.process.running.count() > 0 ? renewalOf(host) : longestWaitOf(host))
