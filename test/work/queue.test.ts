import { expect, test } from 'vitest'
import { startUp } from '../../runtime/assemble.ts'
import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'
import { minute, second } from '../../runtime/time.ts'
import { cancelWork } from '../../runtime/work/cancel.ts'
import type { WorkKind } from '../../runtime/work/kind.ts'
import { recoverWork } from '../../runtime/work/recover.ts'
import { Cancelled, Stopping, workContext } from '../../runtime/work/run.ts'
import type { NewWork, Work } from '../../runtime/work/schema.ts'
import { claimDue, findWork, insertWork } from '../../runtime/work/store.ts'
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

test('runs what is due, once, and commits its rows and events with its end', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const events = [{ type: 'test.finished', data: {} }]
  await run(host, { run: async () => ({ status: 'succeeded', output: { answer: 42 }, events }) })
  await run(host, {})

  expect(await findWork(host, id)).toMatchObject({ status: 'succeeded', attempt: 1, outcome: { answer: 42 } })
  expect(host.events).toEqual(['test.finished'])
})

test('what is due later waits, and the tick says until when', async () => {
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

test('units of one lane run one after the other, oldest first; others run beside them', async () => {
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

test('a failed try is repeated as its policy says, then it has failed', async () => {
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

test('cancelling ends a running unit and one that waits in the queue', async () => {
  const host = await testHost()
  const kind = {
    ...base,
    run: untilAborted,
    ended: async () => ({ events: [{ type: 'test.ended', data: {} }] }),
  }
  const running = await enqueue(host)
  const { started } = await tick(host, kindsOf(kind))
  const queued = await enqueue(host)
  const context = workContext(host, { id: 'test' }, new AbortController().signal)
  for (const id of [running, queued])
    await cancelWork(context, kind, (await findWork(host, id)) as Work, 'enough')
  await Promise.all(started)

  expect(await statusOf(host, running)).toBe('cancelled')
  expect(await statusOf(host, queued)).toBe('cancelled')
  expect(host.events).toEqual(['test.ended', 'test.ended'])
})

test('a lapsed lease is lost or tried again, as the kind says', async () => {
  for (const [after_crash, expected] of [
    ['lose', 'lost'],
    ['retry', 'queued'],
  ] as const) {
    const host = await testHost()
    const id = await enqueue(host)
    await claimDue(host, 'test', 1)
    await takeOver(host)
    await recoverWork(host, kindsOf({ after_crash }), false)
    expect(await statusOf(host, id)).toBe('running')
    await host.clock.advance(2 * minute)
    await recoverWork(host, kindsOf({ after_crash }), false)
    expect(await statusOf(host, id)).toBe(expected)
  }
})

test('a process that lost its lease changes nothing any more', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const gate = Promise.withResolvers<void>()
  const { started } = await tick(
    host,
    kindsOf({
      run: async () => {
        await gate.promise
        return { status: 'succeeded', events: [{ type: 'test.finished', data: {} }] }
      },
    }),
  )
  await takeOver(host)
  gate.resolve()
  await Promise.all(started)

  expect(await statusOf(host, id)).toBe('running')
  expect(host.events).toEqual([])
})

test('the leases of what runs are renewed', async () => {
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

test('a stop of the daemon puts back what may run again, without counting the try', async () => {
  const host = await testHost()
  const id = await enqueue(host)
  const { started } = await tick(host, kindsOf({ after_crash: 'retry', run: untilAborted }))
  host.process.running.abortAll(new Stopping('stopping'))
  await Promise.all(started)
  expect(await findWork(host, id)).toMatchObject({ status: 'queued', attempt: 0 })
})

test('a clock that is set back holds up nothing that is wanted at once, in this process or the next', async () => {
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
