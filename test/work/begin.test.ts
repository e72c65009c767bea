import { expect, test } from 'vitest'
import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { newUnit } from '../../runtime/work/begin.ts'
import type { WorkKind } from '../../runtime/work/kind.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { listWork } from '../../runtime/work/select.ts'
import { testHost } from '../support/host.ts'

/** A kind whose units run until `finish`, and say when they begin. */
function gated(own: Partial<WorkKind> = {}) {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const kind: WorkKind = {
    kind: 'test',
    max_running: 10,
    after_crash: 'lose',
    async run({ subject }) {
      begun.push(subject)
      await gate.promise
      return { status: 'succeeded' }
    },
    ...own,
  }
  return { kind, begun, finish: gate.resolve, kinds: new Map([['test', kind]]) }
}

async function ask(host: Host, kind: WorkKind, subject: string, lane = 'lane'): Promise<void> {
  const unit = newUnit(host, kind, { subject, lane })
  unit.begin(await host.sql.write([unit.statement]))
}

const openIn = async (host: Host, lane = 'lane') =>
  (await listWork(host, { lane })).map(({ subject, status, attempt }) => ({ subject, status, attempt }))

test('a unit whose lane is free starts with the commit that stores it', async () => {
  const host = await testHost()
  const { kind, begun, finish } = gated()
  await ask(host, kind, 'a')

  expect(begun).toEqual(['a'])
  expect(await openIn(host)).toEqual([{ subject: 'a', status: 'running', attempt: 1 }])
  finish()
  await host.process.running.settled()
  expect(await openIn(host)).toEqual([])
})

test('a unit whose lane is busy waits for its turn', async () => {
  const host = await testHost()
  const { kind, kinds, begun, finish } = gated()
  await ask(host, kind, 'a')
  await ask(host, kind, 'b')
  await tick(host, kinds)

  expect(begun).toEqual(['a'])
  expect(await openIn(host)).toMatchObject([{ status: 'running' }, { status: 'queued', attempt: 0 }])
  finish()
  await host.process.running.settled()
  await Promise.all((await tick(host, kinds)).started)
  expect(begun).toEqual(['a', 'b'])
})

test('of many concurrent units in one lane one starts', async () => {
  const host = await testHost()
  const { kind, begun } = gated()
  await Promise.all(Array.from({ length: 20 }, (_, index) => ask(host, kind, `unit ${index}`)))
  expect(begun).toHaveLength(1)
})

test('no more units start than may run at once, even if all are stored at the same time', async () => {
  const host = await testHost()
  const { kind, kinds, begun, finish } = gated({ max_running: 3 })
  await Promise.all(Array.from({ length: 5 }, (_, index) => ask(host, kind, 'unit', `lane ${index}`)))
  expect(begun).toHaveLength(3)

  finish()
  await host.process.running.settled()
  await Promise.all((await tick(host, kinds)).started)
  expect(begun).toHaveLength(5)
})

test('units stored during shutdown are left to the next start', async () => {
  const host = await testHost()
  const { kind, begun } = gated()
  const unit = newUnit(host, kind, { subject: 'a', lane: 'lane' })
  const written = await host.sql.write([unit.statement])
  host.stop()
  host.process.running.abortAll(new Stopping('stopping'))
  unit.begin(written)
  await host.process.running.settled()
  await ask(host, kind, 'b', 'another')

  expect(begun).toEqual([])
  expect(await openIn(host)).toEqual([{ subject: 'a', status: 'queued', attempt: 0 }])
  expect(await openIn(host, 'another')).toEqual([{ subject: 'b', status: 'queued', attempt: 0 }])
})

test('the lease of a unit started this way is renewed like any other', async () => {
  const host = await testHost()
  const { kind, kinds, finish } = gated()
  await ask(host, kind, 'a')
  for (let index = 0; index < 6; index += 1) {
    await host.clock.advance(20 * second)
    await tick(host, kinds)
  }
  const [row] = await host.sql.read<{ lease_until: string }>('SELECT lease_until FROM work')
  expect(Date.parse(row?.lease_until ?? '')).toBeGreaterThan(host.clock.now())
  finish()
  await host.process.running.settled()
})
