import Database from 'libsql'
import { afterEach, expect, test } from 'vitest'
import { LocalSql } from '../../adapters/libsql/local.ts'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { Host, Ports } from '../../runtime/host.ts'
import { newId } from '../../runtime/id.ts'
import { NewEpisode } from '../../runtime/memory/schema.ts'
import { migrate } from '../../runtime/migrations/migrate.ts'
import { tick } from '../../runtime/tick.ts'
import { minute } from '../../runtime/time.ts'
import type { WorkKind } from '../../runtime/work/kind.ts'
import type { NewWork } from '../../runtime/work/schema.ts'
import { insertWork } from '../../runtime/work/store.ts'
import { addEpisodes } from '../support/add-episodes.ts'
import { chat } from '../support/chat.ts'
import { scriptedModels, text } from '../support/models.ts'
import { StatementCosts } from '../support/statement-costs.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, started } from '../workflows/kit.ts'

const costs = StatementCosts.install()
afterEach(() => costs.reset())

async function libsqlHost(own: Partial<Ports> = {}): Promise<MemoryHost> {
  const sql = new LocalSql(new Database(':memory:'), async () => ({ bytes: 0, wal_bytes: 0 }))
  await migrate(sql, '0.1.0', '2026-01-05T12:00:00.000Z')
  return createMemoryHost(areas, { sql, ...own })
}

/** The instructions of SQLite that each statement of `run` needs for one call. */
async function stepsOf(run: () => Promise<unknown>): Promise<Record<string, number>> {
  costs.reset()
  await run()
  return Object.fromEntries(costs.costs().map(({ sql, steps, calls }) => [sql, Math.round(steps / calls)]))
}

/** The vectors that a search compares exactly: more in a larger memory, up to a fixed number. */
const bounded = /^SELECT id, vector FROM episode_vectors/

/** No statement reads more beside ten times the rows. */
function expectSame(few: Record<string, number>, many: Record<string, number>): void {
  expect(Object.keys(many).length).toBeGreaterThan(3)
  const grown = Object.entries(many).filter(
    ([sql, steps]) => !bounded.test(sql) && steps > (few[sql] ?? steps) * 1.1 + 5,
  )
  expect(grown.map(([sql, steps]) => [sql, few[sql], steps])).toEqual([])
}

const kind: WorkKind = {
  kind: 'test.kind',
  max_running: 4,
  after_crash: 'retry',
  run: async () => ({ status: 'succeeded' }),
}

const queue = (host: Host, count: number, unit: () => Partial<NewWork>) =>
  host.sql.write(
    Array.from({ length: count }, () => insertWork(host, { kind: kind.kind, subject: 's', ...unit() }).statement),
  )

const backlogs: [string, (host: Host) => () => Partial<NewWork>][] = [
  ['without a lane', () => () => ({})],
  ['in lanes of their own', (host) => () => ({ lane: newId('lane', host.clock.now()) })],
  ['in one lane', () => () => ({ lane: 'one' })],
  ['of another kind', () => () => ({ kind: 'test.other' })],
  ['due later', (host) => () => ({ due: host.clock.now() + minute })],
]

test.each(backlogs)('a tick reads no more with ten times the units %s', async (_, unit) => {
  const host = await libsqlHost()
  const kinds = new Map([[kind.kind, kind]])
  const run = async () => {
    await queue(host, 5, () => ({}))
    for (let round = 0; round < 3; round += 1) {
      await tick(host, kinds)
      await host.process.running.settled()
    }
  }
  await run()
  await queue(host, 30, unit(host))
  const few = await stepsOf(run)
  await queue(host, 300, unit(host))
  expectSame(few, await stepsOf(run))
})

test('an execution reads no more with ten times the executions that wait', async () => {
  const host = await libsqlHost()
  const wait = { type: 'delay', params: { seconds: 3_600 } }
  const waiting = await created(
    host,
    drawn({ start: { type: 'trigger.manual' }, wait }, ['start → wait'], {
      settings: { mode: 'parallel', max_concurrent: 500 },
    }),
  )
  const run = async () => {
    await started(host, waiting.id)
    await workOff(host)
  }
  const fill = async (count: number) => {
    for (let index = 0; index < count; index += 1) await run()
  }
  await fill(10)
  const few = await stepsOf(run)
  await fill(100)
  expectSame(few, await stepsOf(run))
  expect(costs.recompiled()).toEqual([])
})

test('a turn reads no more with ten times the memories, conversations and turns that have ended', async () => {
  const host = await libsqlHost({ models: scriptedModels(...Array.from({ length: 200 }, () => text('Yes'))) })
  const context = localContext(host)
  const run = () => chat(host, { message: 'Is it raining?' })
  const fill = async (count: number) => {
    const inputs = Array.from({ length: count * 25 }, (_, index) =>
      NewEpisode.parse({ content: `Tomatoes, row ${index}` }),
    )
    await addEpisodes(context, inputs)
    await workOff(host)
    for (let index = 0; index < count; index += 1) await run()
  }
  await fill(10)
  const few = await stepsOf(run)
  await fill(100)
  expectSame(few, await stepsOf(run))
  expect(costs.recompiled()).toEqual([])
})
