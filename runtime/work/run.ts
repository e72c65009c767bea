import { daemonFor, nobody } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { commit, commitAsCaller } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { GuardFailed, type Statement, StoreUnavailable } from '../ports/sql.ts'
import type { Span } from '../ports/tracer.ts'
import { errorMessage } from '../thrown.ts'
import { second } from '../time.ts'
import { traced } from '../traced.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from './kind.ts'
import { Postponed } from './postponed.ts'
import type { Work } from './schema.ts'
import { giveBackWork, leaseTime, postponeWork, requeueWork, settleWork } from './store.ts'

/** Abort reason of a unit that was cancelled by a person or a rule. */
export class Cancelled extends Error {
  override name = 'Cancelled'
}

/** Abort reason of a unit when the daemon stops. The unit is left for the next start. */
export class Stopping extends Error {
  override name = 'Stopping'
}

/** Abort reason of a unit whose lease may end before it can be renewed. It is recovered as after the death of its process. */
export class LeaseLost extends Stopping {
  override name = 'LeaseLost'
}

/**
 * Runs one attempt of a claimed unit; never rejects. A unit claimed during shutdown, or without free capacity,
 * returns to the queue.
 */
export function startWork(host: Host, kind: WorkKind, work: Work): Promise<void> {
  const { stopping, running } = host.process
  const abort = new AbortController()
  const tooLate = stopping.aborted || running.count(kind.kind) >= kind.max_running
  const done = (tooLate ? giveBack(host, work) : attempt(host, kind, work, abort)).catch((cause: unknown) => {
    if (cause instanceof GuardFailed) return
    host.log.write('error', 'cannot store the outcome of work', {
      work: work.id,
      kind: work.kind,
      cause: String(cause),
    })
  })
  const leased_at = Date.parse(work.lease_until ?? '') - leaseTime
  running.add(work.id, { kind: work.kind, leased_at, abort, done })
  return done
}

/**
 * Runs a unit again whose outcome conflicts with a change that was stored meanwhile, if this process still has its
 * lease.
 */
async function again(host: Host, kind: WorkKind, work: Work, lost: GuardFailed): Promise<void> {
  const isLast = work.attempt >= (kind.retry?.max_attempts ?? Number.POSITIVE_INFINITY)
  if (kind.after_crash === 'lose' || isLast) throw lost
  await commit(host, [requeueWork(host, kind, work, host.clock.now() + second)])
}

async function giveBack(host: Host, work: Work, also: readonly Statement[] = []): Promise<void> {
  await commit(host, [giveBackWork(host, work), ...also])
}

async function attempt(host: Host, kind: WorkKind, work: Work, abort: AbortController): Promise<void> {
  const context = workContext(host, work, abort.signal)
  const finished = new AbortController()
  if (kind.timeout_seconds) void expire(host, kind.timeout_seconds, abort, finished.signal)
  try {
    const attributes = { 'work.id': work.id, 'work.subject': work.subject, 'work.attempt': work.attempt }
    const run = async (inner: Context, span?: Span) => {
      const outcome = await kind.run(work, inner)
      span?.set({ 'work.status': outcome.status })
      if (outcome.status === 'failed') span?.fail(String(outcome.output?.code ?? 'failed'))
      return outcome
    }
    await settle(context, work, await traced(context, work.kind, { attributes, run }))
  } catch (thrown) {
    if (thrown instanceof GuardFailed) return await again(host, kind, work, thrown)
    if (abort.signal.reason instanceof LeaseLost) return
    if (thrown instanceof Postponed && !abort.signal.aborted) return await postpone(context, work, thrown)
    if (abort.signal.reason instanceof Stopping) return await release(host, kind, work, context)
    await fail(host, kind, work, { context, thrown })
  } finally {
    finished.abort()
    host.process.wake()
  }
}

/** The context of work: the caller is the daemon, on behalf of the work's owner; no client can disconnect. */
export function workContext(
  host: Host,
  work: Pick<Work, 'id'> & Partial<Pick<Work, 'owner_id' | 'chain_depth'>>,
  signal: AbortSignal,
): Context {
  const caller = daemonFor(work.owner_id ?? nobody)
  const chain_depth = work.chain_depth ?? 0
  return { ...host, caller, request_id: work.id, signal, chain_depth, commit: commitAsCaller }
}

/** The context of a request from outside, such as to a webhook: it acts for the owner of what receives it. */
export const asOwner = (context: Context, { owner_id }: { owner_id: string }): Context =>
  workContext(context, { id: context.request_id, owner_id }, context.signal)

async function expire(host: Host, seconds: number, abort: AbortController, finished: AbortSignal) {
  try {
    await host.clock.after(seconds * second, finished)
    abort.abort(new Error(`It took longer than ${seconds} s`))
  } catch {
    // The unit finished in time.
  }
}

const postpone = (host: Context, work: Work, postponed: Postponed): Promise<void> =>
  whenStored(host, () => commitEnd(host, postponeWork(host, work, postponed), postponed.ending))

async function settle(host: Context, work: Work, outcome: WorkOutcome): Promise<void> {
  if (outcome.unstored) return
  // What was cut because its lease ended has not failed.
  if (host.signal.reason instanceof LeaseLost && outcome.status !== 'succeeded') return
  const end = settleWork(host, work, outcome.status, outcome.output)
  await whenStored(host, () => commitEnd(host, end, outcome))
  if (outcome.status !== 'waiting') host.metrics.count('work_ended_total', { status: outcome.status })
}

/** Commits the end of a unit with its rows and events, then calls `announce`. */
export async function commitEnd(host: Context, end: Statement, ending?: WorkEnding): Promise<void> {
  await commit(host, [end, ...(ending?.statements ?? [])], ending?.events)
  ending?.announce?.()
}

/** Milliseconds between retries while the store is out of space. */
const roomPause = 5 * second

/** If the disk is full, the end of a unit is stored once there is space, unless the host stops first. */
async function whenStored(host: Host, store: () => Promise<void>): Promise<void> {
  const { stopping } = host.process
  for (;;) {
    try {
      return await store()
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable) || stopping.aborted) throw thrown
      await host.clock.after(roomPause, stopping).catch(() => undefined)
    }
  }
}

/** On shutdown, units that can be retried return to the queue; the others are lost. */
async function release(host: Host, kind: WorkKind, work: Work, context: Context): Promise<void> {
  const resumption = kind.after_crash === 'retry' ? null : await kind.resume?.(work, context)
  if (resumption || kind.after_crash === 'retry') return giveBack(host, work, resumption?.statements)
  await commitEnd(context, settleWork(host, work, 'lost'), await kind.ended?.(work, 'lost', context))
  host.metrics.count('work_ended_total', { status: 'lost' })
}

async function fail(host: Host, kind: WorkKind, work: Work, ending: { context: Context; thrown: unknown }) {
  const { signal } = ending.context
  const cause: unknown = signal.aborted ? signal.reason : ending.thrown
  const cancelled = cause instanceof Cancelled
  const message = errorMessage(cause)
  if (!cancelled && kind.retry && work.attempt < kind.retry.max_attempts) {
    const due = host.clock.now() + kind.retry.delay_seconds(work.attempt) * second
    return whenStored(host, async () => void (await commit(host, [requeueWork(host, kind, work, due)])))
  }
  const status = cancelled ? 'cancelled' : 'failed'
  host.log.write(cancelled ? 'info' : 'warn', `work ${status}`, {
    work: work.id,
    kind: work.kind,
    reason: message,
  })
  const end = settleWork(host, work, status, { error: message })
  const ended = await kind.ended?.(work, status, ending.context)
  await whenStored(host, () => commitEnd(ending.context, end, ended))
  host.metrics.count('work_ended_total', { status })
}
