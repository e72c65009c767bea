import { expect, test, vi } from 'vitest'
import { startUp } from '../../runtime/assemble.ts'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import type { Host } from '../../runtime/host.ts'
import { StoreUnavailable } from '../../runtime/ports/sql.ts'
import { tick } from '../../runtime/tick.ts'
import { minute, second } from '../../runtime/time.ts'
import { cancelWork } from '../../runtime/work/cancel.ts'
import type { WorkKind } from '../../runtime/work/kind.ts'
import { Postponed } from '../../runtime/work/postponed.ts'
import { recoverWork } from '../../runtime/work/recover.ts'
import { Cancelled, Stopping, workContext } from '../../runtime/work/run.ts'
import type { NewWork, Work } from '../../runtime/work/schema.ts'
import { dropQueuedWork, enqueueOnce, rescheduleWork, resumeWork } from '../../runtime/work/select.ts'
import { claimDue, countOverdueWork, findWork, insertWork } from '../../runtime/work/store.ts'
import { testHost } from '../support/host.ts'

const base: WorkKind = {
  kind: 'test',
  max_running: 10,
  after_crash: 'lose',
  run: async () => ({ status: 'succeeded' }),
}

const kindsOf = (kind: Partial<WorkKind>) => new Map([['test', { ...base, ...kind }]])

async function enqueue(host: Host, work: Partial<NewWork> = {}): Promise<string> {
  const { id, statement } = insertWork(host, { kind: 'test', subject: 'subject', ...work })
  await host.sql.write([statement])
  return id
}

async function run(host: Host, kind: Partial<WorkKind>): Promise<void> {
  const { started } = await tick(host, kindsOf(kind))
  await Promise.all(started)
}

const statusOf = async (host: Host, id: string) => (await findWork(host, id))?.status

/** A unit that runs until it is told to stop. */
const untilAborted: WorkKind['run'] = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const takeOver = (host: Host) =>
  host.sql.write([{ sql: `UPDATE work SET lease_owner = 'another' WHERE status = 'running'` }])

test('runs due units once, and commits their rows and events with their end', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const events = [event('settings.updated', { section: 'a test' })]
  await run(host, { run: async () => ({ status: 'succeeded', output: { answer: 42 }, events }) })
  await run(host, {})

  expect(await findWork(host, id)).toMatchObject({ status: 'succeeded', attempt: 1, outcome: { answer: 42 } })
  expect(host.events).toEqual(['settings.updated'])
})

test('a commit that queues, resumes or reschedules work requests a tick, and no other commit does', async () => {
  const host = await testHost()
  const wake = vi.fn()
  const waking = { ...host, process: { ...host.process, wake } }
  const work = { kind: 'test', subject: 'subject' }
  const queueing = [
    insertWork(host, work).statement,
    enqueueOnce(host, work),
    resumeWork(work),
    rescheduleWork(work, 'due_at', 'true'),
  ]
  for (const statement of queueing) await commit(waking, [statement])
  await commit(waking, [dropQueuedWork(work)], [event('settings.updated', { section: 'a test' })])

  expect(wake).toHaveBeenCalledTimes(queueing.length)
})

test('units due later wait, and the tick returns the next due time', async () => {
  const host = await testHost()
  const id = await enqueue(host, { due: host.clock.now() + 30 * second })
  const { next, started } = await tick(host, kindsOf({}))

  expect(started).toEqual([])
  expect(next).toBe(host.clock.now() + 30 * second)
  await host.clock.advance(30 * second)
  await run(host, {})
  expect(await statusOf(host, id)).toBe('succeeded')
})

test('an idle tick writes nothing', async () => {
  const host = await testHost()
  await enqueue(host, { due: host.clock.now() + minute })
  const writes: unknown[] = []
  const write = host.sql.write.bind(host.sql)
  host.sql.write = (statements) => {
    writes.push(statements)
    return write(statements)
  }
  await tick(host, kindsOf({}))
  expect(writes).toEqual([])
})

test('units of one lane run one after the other, oldest first; others run in parallel', async () => {
  const host = await testHost()
  const order: string[] = []
  await enqueue(host, { lane: 'a', subject: 'a1' })
  await enqueue(host, { lane: 'a', subject: 'a2' })
  await enqueue(host, { lane: 'b', subject: 'b1' })
  const note: WorkKind['run'] = async (work) => {
    order.push(work.subject)
    return { status: 'succeeded' }
  }
  await run(host, { run: note })
  expect(order).toEqual(['a1', 'b1'])
  await run(host, { run: note })
  expect(order).toEqual(['a1', 'b1', 'a2'])
})

test('a waiting unit keeps its lane', async () => {
  const host = await testHost()
  await enqueue(host, { lane: 'a', subject: 'a1' })
  const behind = await enqueue(host, { lane: 'a', subject: 'a2' })
  await run(host, { run: async () => ({ status: 'waiting' }) })
  await run(host, {})
  expect(await statusOf(host, behind)).toBe('queued')
})

test('no more than max_running units of a kind run at once', async () => {
  const host = await testHost()
  for (let index = 0; index < 5; index += 1) await enqueue(host)
  const { started } = await tick(host, kindsOf({ max_running: 2, run: untilAborted }))
  const more = await tick(host, kindsOf({ max_running: 2, run: untilAborted }))
  expect([started.length, more.started.length]).toEqual([2, 0])
  host.process.running.abortAll(new Cancelled('over'))
  await Promise.all(started)
})

test('a failed attempt is retried according to its policy, then the unit has failed', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const failing: Partial<WorkKind> = {
    retry: { max_attempts: 2, delay_seconds: () => 5 },
    run: async () => {
      throw new Error('no luck')
    },
  }
  await run(host, failing)
  expect(await statusOf(host, id)).toBe('queued')
  await run(host, failing)
  expect(await findWork(host, id)).toMatchObject({ status: 'queued', attempt: 1 })
  await host.clock.advance(5 * second)
  await run(host, failing)
  expect(await findWork(host, id)).toMatchObject({
    status: 'failed',
    attempt: 2,
    outcome: { error: 'no luck' },
  })
})

test('a unit that takes too long is ended', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const { started } = await tick(host, kindsOf({ timeout_seconds: 10, run: untilAborted }))
  await host.clock.advance(10 * second)
  await Promise.all(started)
  expect(await findWork(host, id)).toMatchObject({
    status: 'failed',
    outcome: { error: 'It took longer than 10 s' },
  })
})

test('cancelling ends a running unit and a queued one', async () => {
  const host = await testHost()
  const kind = {
    ...base,
    run: untilAborted,
    ended: async () => ({ events: [event('file.deleted', { file_id: 'a test' })] }),
  }
  const running = await enqueue(host)
  const { started } = await tick(host, kindsOf(kind))
  const queued = await enqueue(host)
  const context = workContext(host, { id: 'test' }, new AbortController().signal)
  for (const id of [running, queued]) await cancelWork(context, kind, (await findWork(host, id)) as Work, 'enough')
  await Promise.all(started)

  expect(await statusOf(host, running)).toBe('cancelled')
  expect(await statusOf(host, queued)).toBe('cancelled')
  expect(host.events).toEqual(['file.deleted', 'file.deleted'])
})

test('after a restore, the log does not blame a process for work that the backup shows as running', async () => {
  const host = await testHost()
  await enqueue(host)
  await claimDue(host, base, 1)
  await takeOver(host)
  Object.assign(host.process, { ready: false, restored: 'a.db' })
  await recoverWork(host, kindsOf({ after_crash: 'lose' }), true)
  expect(JSON.stringify(host.log.lines)).toContain('it was running when the restored backup was made')
  expect(JSON.stringify(host.log.lines)).not.toContain('died')
})

test('a unit with an expired lease is lost or retried, depending on its kind', async () => {
  for (const [after_crash, expected] of [
    ['lose', 'lost'],
    ['retry', 'queued'],
  ] as const) {
    const host = await testHost()
    const id = await enqueue(host)
    await claimDue(host, base, 1)
    await takeOver(host)
    await recoverWork(host, kindsOf({ after_crash }), false)
    expect(await statusOf(host, id)).toBe('running')
    await host.clock.advance(2 * minute)
    await recoverWork(host, kindsOf({ after_crash }), false)
    expect(await statusOf(host, id)).toBe(expected)
  }
})

test('a process that lost its lease changes nothing', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const gate = Promise.withResolvers<void>()
  const { started } = await tick(
    host,
    kindsOf({
      run: async () => {
        await gate.promise
        return { status: 'succeeded', events: [event('settings.updated', { section: 'a test' })] }
      },
    }),
  )
  await takeOver(host)
  gate.resolve()
  await Promise.all(started)

  expect(await statusOf(host, id)).toBe('running')
  expect(host.events).toEqual([])
})

test.each([
  ['fails', { retry: { max_attempts: 3, delay_seconds: () => 0 } }, new Error('no luck')],
  ['is stopped', { after_crash: 'retry' }, new Stopping('stopping')],
] as const)('a process that lost its lease gives nothing back when its try %s', async (_, kind, end) => {
  const host = await testHost()
  const id = await enqueue(host)
  const { started } = await tick(host, kindsOf({ ...kind, run: untilAborted }))
  await takeOver(host)
  host.process.running.abortAll(end)
  await Promise.all(started)

  expect(await findWork(host, id)).toMatchObject({ status: 'running', attempt: 1 })
})

test('a lease renewed at the same moment is left alone', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  await claimDue(host, base, 1)
  await takeOver(host)
  await host.clock.advance(2 * minute)
  const renewed = new Date(host.clock.now() + minute).toISOString()
  const ended: WorkKind['ended'] = async () => {
    await host.sql.write([{ sql: 'UPDATE work SET lease_until = ?', args: [renewed] }])
    return {}
  }
  await recoverWork(host, kindsOf({ ended }), false)
  expect(await statusOf(host, id)).toBe('running')
})

test('the end of a unit waits for free space on a full disk', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const events = [event('settings.updated', { section: 'a test' })]
  const gate = Promise.withResolvers<void>()
  const { started } = await tick(
    host,
    kindsOf({
      run: async () => {
        await gate.promise
        return { status: 'succeeded', events }
      },
    }),
  )
  const { write } = host.sql
  host.sql.write = () => Promise.reject(new StoreUnavailable('full'))
  gate.resolve()
  await host.clock.advance(3 * minute)
  expect([await statusOf(host, id), host.process.running.count()]).toEqual(['running', 1])

  host.sql.write = write
  await host.clock.advance(10 * second)
  await Promise.all(started)
  expect([await statusOf(host, id), host.events]).toEqual(['succeeded', ['settings.updated']])
})

test('a unit of this process that is no longer running is recovered when its lease has expired', async () => {
  const host = await testHost()
  const id = await enqueue(host, { subject: 'left' })
  await claimDue(host, base, 1)
  await enqueue(host, { subject: 'runs' })
  const kinds = kindsOf({ run: untilAborted })
  const { started } = await tick(host, kinds)
  for (let seconds = 0; seconds <= 60; seconds += 20) {
    expect(await statusOf(host, id)).toBe('running')
    await host.clock.advance(20 * second)
    await tick(host, kinds)
  }
  expect(await statusOf(host, id)).toBe('lost')
  expect(host.process.running.count()).toBe(1)
  host.process.running.abortAll(new Cancelled('over'))
  await Promise.all(started)
})

test('a clock that jumps ahead does not take over running units', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const kinds = kindsOf({ run: untilAborted })
  const { started } = await tick(host, kinds)
  host.process.running.renewed_at = host.clock.now() + 60 * minute
  host.clock.jump(60 * minute)
  await tick(host, kinds)
  expect(await statusOf(host, id)).toBe('running')
  host.process.running.abortAll(new Cancelled('over'))
  await Promise.all(started)
})

test('a unit that cannot be recovered does not block the others', async () => {
  const host = await testHost()
  const bad = await enqueue(host, { subject: 'bad' })
  const good = await enqueue(host, { subject: 'good' })
  await claimDue(host, base, 2)
  await takeOver(host)
  await host.clock.advance(2 * minute)
  const ended: WorkKind['ended'] = async ({ subject }) => {
    if (subject === 'bad') throw new Error('broken')
    return {}
  }
  await recoverWork(host, kindsOf({ ended }), false)
  expect([await statusOf(host, bad), await statusOf(host, good)]).toEqual(['running', 'lost'])
})

test('a cancelled attempt that throws another error is still cancelled', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const run: WorkKind['run'] = (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('socket closed'))))
  const retry = { max_attempts: 3, delay_seconds: () => 0 }
  const { started } = await tick(host, kindsOf({ run, retry }))
  host.process.running.abortAll(new Cancelled('enough'))
  await Promise.all(started)
  expect(await findWork(host, id)).toMatchObject({ status: 'cancelled', outcome: { error: 'enough' } })
})

test('a unit that starts at the moment of its cancellation is cancelled', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const kind = { ...base, run: untilAborted }
  const seen = (await findWork(host, id)) as Work
  const starts: Promise<void>[] = []
  const ended: WorkKind['ended'] = async () => {
    if (starts.length === 0) starts.push(...(await tick(host, kindsOf(kind))).started)
    return {}
  }
  const context = workContext(host, { id: 'test' }, new AbortController().signal)
  await cancelWork(context, { ...kind, ended }, seen, 'enough')
  await Promise.all(starts)
  expect(await statusOf(host, id)).toBe('cancelled')
})

test('the leases of running units are renewed', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const kinds = kindsOf({ run: untilAborted })
  const { started } = await tick(host, kinds)
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await host.clock.advance(30 * second)
    await tick(host, kinds)
  }
  expect(await statusOf(host, id)).toBe('running')
  const lease = await host.sql.read<{ lease_until: string }>('SELECT lease_until FROM work')
  expect(Date.parse(lease[0]?.lease_until ?? '')).toBeGreaterThan(host.clock.now())
  host.process.running.abortAll(new Cancelled('over'))
  await Promise.all(started)
})

test('a shutdown requeues units that can run again, without counting the attempt', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const { started } = await tick(host, kindsOf({ after_crash: 'retry', run: untilAborted }))
  host.process.running.abortAll(new Stopping('stopping'))
  await Promise.all(started)
  expect(await findWork(host, id)).toMatchObject({ status: 'queued', attempt: 0 })
})

test('a clock that is set back delays nothing that is due at once, in this process or the next', async () => {
  const host = await testHost()
  const running = await enqueue(host, { lane: 'a' })
  const behind = await enqueue(host, { lane: 'a' })
  const later = await enqueue(host, { due: host.clock.now() + minute })
  await run(host, {})
  expect(await statusOf(host, running)).toBe('succeeded')
  host.clock.jump(-24 * 60 * minute)
  await run(host, {})
  expect([await statusOf(host, behind), await statusOf(host, later)]).toEqual(['succeeded', 'queued'])

  const another = await enqueue(host)
  host.clock.jump(-24 * 60 * minute)
  host.process.ticked_at = 0
  await startUp(host, { alone: true })
  await run(host, {})
  expect([await statusOf(host, another), await statusOf(host, later)]).toEqual(['succeeded', 'queued'])
})

test('in an ordered kind, a unit that waits for another attempt is not overtaken in its lane', async () => {
  const host = await testHost()
  const done: string[] = []
  await enqueue(host, { lane: 'a', subject: 'first' })
  await enqueue(host, { lane: 'a', subject: 'second' })
  await enqueue(host, { lane: 'b', subject: 'other' })
  const ordered: Partial<WorkKind> = {
    ordered: true,
    after_crash: 'retry',
    retry: { max_attempts: 3, delay_seconds: () => 30 },
    run: async (work) => {
      done.push(work.subject)
      return { status: 'succeeded' }
    },
  }
  await claimDue(host, base, 1)
  await takeOver(host)
  await recoverWork(host, kindsOf(ordered), true)
  for (let round = 0; round < 3; round += 1) await run(host, ordered)
  expect(done).toEqual(['other'])
  await host.clock.advance(30 * second)
  for (let round = 0; round < 2; round += 1) await run(host, ordered)
  expect(done).toEqual(['other', 'first', 'second'])
})

test.each([[true], [undefined]])(
  'a postponed unit keeps its lane and shows why only while it waits (ordered: %s)',
  async (ordered) => {
    const host = await testHost()
    const order: string[] = []
    const first = await enqueue(host, { lane: 'a', subject: 'a1' })
    const kind: Partial<WorkKind> = {
      ...(ordered && { ordered }),
      async run(work) {
        order.push(work.subject)
        const until = host.clock.now() + 5 * minute
        if (order.length === 1)
          throw new Postponed('slow down', { until, code: 'rate_limit', since: { step: 0, at: 0 } })
        expect((await findWork(host, first))?.outcome).toBeNull()
        return { status: 'succeeded' }
      },
    }
    await run(host, kind)
    await enqueue(host, { lane: 'a', subject: 'a2' })
    await host.clock.advance(3 * minute)
    await run(host, kind)
    expect(order).toEqual(['a1'])
    expect(await countOverdueWork(host, new Date(host.clock.now() - minute).toISOString())).toBe(0)
    await host.clock.advance(2 * minute)
    await run(host, kind)
    await run(host, kind)
    expect(order).toEqual(['a1', 'a1', 'a2'])
    expect(await findWork(host, first)).toMatchObject({ status: 'succeeded', attempt: 1 })
  },
)
