import { commit } from './events/commit.ts'
import type { Host } from './host.ts'
import { pruneSometimes } from './prune.ts'
import { day, second } from './time.ts'
import type { WorkKind } from './work/kind.ts'
import { workKinds } from './work/kinds.ts'
import { recoverWork } from './work/recover.ts'
import { startWork } from './work/run.ts'
import { bringForward, claimDue, dueKinds, nextDue, renewLeases } from './work/store.ts'

const renewal = 20 * second
/** A host calls at least this often, so that a clock set back or a lease of another daemon is noticed. */
const longest = 60 * second

export interface TickResult {
  /** Milliseconds since the epoch of the next call that is needed. */
  next: number
  /** What was started; a host that may be put to sleep waits for it. */
  started: Promise<void>[]
}

/** Starts what is due and keeps the leases of what runs. It costs as much as there is due, and nothing when idle. */
export async function tick(
  host: Host,
  kinds: ReadonlyMap<string, WorkKind> = workKinds,
): Promise<TickResult> {
  if (host.process.stopping.aborted) return { next: host.clock.now() + longest, started: [] }
  await heedClock(host)
  await keepLeases(host)
  await recoverWork(host, kinds, false)
  const started: Promise<void>[] = []
  for (const name of await dueKinds(host)) {
    const kind = kinds.get(name)
    if (kind) started.push(...(await startDue(host, kind)))
  }
  if (host.process.running.count() > 0) await pruneSometimes(host)
  return { next: await nextCall(host), started }
}

/** What waits for its turn must not wait for the time that a clock showed before it was set back. */
async function heedClock(host: Host): Promise<void> {
  const now = host.clock.now()
  const back = now < host.process.ticked_at
  host.process.ticked_at = now
  if (back) await commit(host, [bringForward(host)])
}

async function startDue(host: Host, kind: WorkKind): Promise<Promise<void>[]> {
  const free = kind.max_running - host.process.running.count(kind.kind)
  if (free <= 0) return []
  const claimed = await claimDue(host, kind.kind, free)
  return claimed.map((work) => startWork(host, kind, work))
}

async function keepLeases(host: Host): Promise<void> {
  const { running } = host.process
  const now = host.clock.now()
  if (running.count() === 0 || Math.abs(now - running.renewed_at) < renewal) return
  await commit(host, [renewLeases(host)])
  running.renewed_at = now
}

async function nextCall(host: Host): Promise<number> {
  const now = host.clock.now()
  const due = (await nextDue(host)) ?? now + day
  const most = host.process.running.count() > 0 ? renewal : longest
  return Math.min(due, now + most)
}
