import { expect, test } from 'vitest'
import { createMemorySql } from '../../../adapters/memory/sql.ts'
import { undo } from '../../../handlers/memory/jobs.ts'
import { eventsTopic } from '../../../runtime/events/event.ts'
import { MemoryJob } from '../../../runtime/memory/schema.ts'
import { tick } from '../../../runtime/tick.ts'
import { workKinds } from '../../../runtime/work/kinds.ts'
import { recoverWork } from '../../../runtime/work/recover.ts'
import { Stopping } from '../../../runtime/work/run.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { adminCaller, testHost } from '../../support/host.ts'
import { type Step, scriptedModels } from '../../support/models.ts'
import { workOff } from '../../support/work.ts'
import { graphOf, mention, store } from '../graph/support.ts'
import { answer, endpoints, hostWithModel, latest, run, type Task } from './support.ts'

type Host = Awaited<ReturnType<typeof testHost>>

const names = async (host: Host) => (await graphOf(host)).nodes.map(({ name }) => name).sort()
const states = (host: Host) =>
  host.sql
    .read<{ state: string }>('SELECT state FROM graphs ORDER BY id')
    .then((rows) => rows.map(({ state }) => state))
const restore = (host: Host) => call(undo, host)

const jobOf = async (response: Response | undefined): Promise<MemoryJob> =>
  MemoryJob.parse((await response?.json())?.job)

/** A model that answers on demand. */
function holding(): { step: Step; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    step: [promise, { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }],
    release: resolve,
  }
}

test('a job emits events at its start, at its progress and at its end', async () => {
  const host = await testHost()
  const told: MemoryJob[] = []
  host.bus.subscribe(eventsTopic, ({ type, data }) => {
    if (type === 'memory.job.updated') told.push(MemoryJob.parse((data as { job: unknown }).job))
  })
  await store(host, 'Anna lives in Berlin')
  expect(await latest(host, 'consolidate')).toBeNull()
  const job = await run(host, 'consolidate')

  expect(job).toEqual({
    id: expect.stringMatching(/^memjob_[0-9a-z]{26}$/),
    kind: 'consolidate',
    agent_id: null,
    params: { wipe: false },
    status: 'done',
    started_at: '2026-01-05T12:00:00.000Z',
    finished_at: '2026-01-05T12:00:00.000Z',
    progress: { phase: 'entities', done: 0, total: 0 },
    result: { method: 'offline', episodes_read: 1, episodes_left: 0, model_calls: 0 },
    error: null,
  })
  expect(told.map(({ status, progress }) => `${status} ${progress.phase} ${progress.done}/${progress.total}`)).toEqual([
    'running starting 0/0',
    'running facts 0/1',
    'running entities 0/0',
    'done entities 0/0',
  ])
})

test.each(['generate', 'consolidate'] as const)(
  'of 50 requests to %s at once one wins, the rest name its job',
  async (task) => {
    const host = await testHost()
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(endpoints[task], host, { body: {} })))
    const won = answers.filter(({ status }) => status === 202)
    expect(won).toHaveLength(1)
    const job = await jobOf(won[0])
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expect(refused.status).toBe(409)
      expect(await refused.json()).toMatchObject({
        error: 'conflict',
        job: { id: job.id, status: 'running' },
      })
    }
    await workOff(host)
    expect(await run(host, task)).toMatchObject({ status: 'done' })
  },
)

test('of two daemons on one database one starts the job, and the other returns it', async () => {
  const sql = createMemorySql()
  const hosts = [await testHost({ sql }), await testHost({ sql })] as const
  const answers = await Promise.all(hosts.map((host) => call(endpoints.consolidate, host, { body: { wipe: true } })))
  const [won, lost] = answers[0]?.status === 202 ? answers : answers.toReversed()
  expect([won?.status, lost?.status]).toEqual([202, 409])
  const job = await jobOf(won)
  expect(await lost?.json()).toMatchObject({
    job: { id: job.id, kind: 'consolidate', params: { wipe: true } },
  })
  for (const host of hosts) await workOff(host)
})

test('jobs of different kinds run in parallel; a backfill counts as a consolidation', async () => {
  const { host } = await hostWithModel(holding().step)
  await store(host, 'Anna lives in Berlin')
  const start = (task: Task) => call(endpoints[task], host, { body: {} })

  expect((await start('consolidate')).status).toBe(202)
  expect((await start('backfill')).status).toBe(409)
  expect((await start('generate')).status).toBe(202)
})

test('job parameters can be passed in the query', async () => {
  const host = await testHost()
  const [agent] = await host.sql.read<{ id: string }>('SELECT id FROM agents')
  const query = { wipe: 'true', agent_id: agent?.id ?? '' }

  expect(await (await call(endpoints.consolidate, host, { query })).json()).toMatchObject({
    job: { agent_id: agent?.id, params: { wipe: true } },
  })
  await workOff(host)
  expect(await (await call(endpoints.generate, host, { query: { agent_id: query.agent_id } })).json()).toMatchObject({
    job: { agent_id: agent?.id, kind: 'generate' },
  })
})

test.each([
  ['in the body', { body: { wipe: true } }],
  ['in the query', { query: { wipe: 'true' } }],
])('a rebuild with wipe %s needs an administrator and is audited', async (_, request) => {
  const host = await testHost()
  const caller = { ...adminCaller, scopes: ['read', 'write'] as const }
  const audited = () => host.sql.read("SELECT actor, action, target FROM audit WHERE action LIKE 'memory.%'")

  expect((await call(endpoints.consolidate, host, { ...request, caller })).status).toBe(403)
  expect(await audited()).toEqual([])
  expect((await call(endpoints.consolidate, host, { caller })).status).toBe(202)
  await workOff(host)
  expect((await call(endpoints.consolidate, host, request)).status).toBe(202)
  expect(await audited()).toEqual([{ actor: adminCaller.name, action: 'memory.graph.rebuilt', target: 'memory' }])
})

test('a job for an unknown agent is refused', async () => {
  const host = await testHost()
  expect((await call(endpoints.generate, host, { body: { agent_id: 'agent_x' } })).status).toBe(422)
  expect((await call(endpoints.backfill, host, { body: { limit: 0 } })).status).toBe(422)
})

test('a backfill reads unread episodes up to the limit', async () => {
  const host = await testHost()
  await store(host, 'Anna lives in Berlin')
  await store(host, 'Tim Cook lives in Paris')
  await workOff(host)
  await host.sql.write([{ sql: 'DELETE FROM extractions' }, { sql: 'DELETE FROM entities' }])

  expect(await run(host, 'backfill', { limit: 1 })).toMatchObject({
    kind: 'consolidate',
    params: { limit: 1, force: false, wipe: false, backfill: true },
    result: { episodes_read: 1 },
  })
  expect(await names(host)).toEqual(['Paris', 'Tim Cook'])
  expect((await run(host, 'backfill')).result).toEqual({ episodes_read: 1 })
  expect((await run(host, 'backfill')).result).toEqual({ episodes_read: 0 })
  expect((await run(host, 'backfill', { force: true })).result).toEqual({ episodes_read: 2 })
  expect(await names(host)).toEqual(['Anna', 'Berlin', 'Paris', 'Tim Cook'])
})

test('a rebuild reads everything again, keeps entity ids, and can be undone', async () => {
  const { host } = await hostWithModel(
    answer({
      entities: [
        { name: 'Berlin', type: 'place' },
        { name: 'Wrong', type: 'other' },
      ],
    }),
    answer({
      entities: [
        { name: 'Berlin', type: 'place' },
        { name: 'Right', type: 'other' },
      ],
    }),
  )
  await store(host, 'Anna lives in Berlin')
  await run(host, 'consolidate')
  const before = await graphOf(host)
  expect(await run(host, 'consolidate', { wipe: true })).toMatchObject({
    status: 'done',
    result: { episodes_read: 1 },
  })
  const after = await graphOf(host)
  const idOf = (graph: typeof before, name: string) => graph.nodes.find((node) => node.name === name)?.id

  expect(await names(host)).toEqual(['Berlin', 'Right'])
  expect(idOf(after, 'Berlin')).toBe(idOf(before, 'Berlin'))
  expect(await (await restore(host)).json()).toEqual({ restored: true, kept: 0 })
  expect(await graphOf(host)).toEqual(before)
  expect(host.events).toContain('memory.graph.restored')
})

test('an undo keeps what was read since; a 404 if there is nothing to undo', async () => {
  const host = await testHost()
  await store(host, 'Anna lives in Berlin')
  await run(host, 'consolidate', { wipe: true })
  await host.clock.advance(1_000)
  const later = await store(host, 'Tim Cook lives in Paris')
  await mention(host, [later.id])
  await restore(host)

  expect(await names(host)).toEqual(['Paris', 'Tim Cook'])
  expect((await restore(host)).status).toBe(404)
})

test('of 50 concurrent undos one succeeds', async () => {
  const host = await testHost()
  for (let round = 0; round < 3; round += 1) await run(host, 'consolidate', { wipe: true })
  const answers = await Promise.all(Array.from({ length: 50 }, () => restore(host)))

  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(409)])
  expect(await states(host)).toEqual(['kept', 'kept', 'live'])
})

test('three graphs are kept', async () => {
  const host = await testHost()
  for (let round = 0; round < 5; round += 1) await run(host, 'consolidate', { wipe: true })

  expect(await states(host)).toEqual(['kept', 'kept', 'kept', 'live'])
})

test('a deleted episode is also removed from kept graphs', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna lives in Berlin')
  await run(host, 'consolidate')
  await run(host, 'consolidate', { wipe: true })
  await host.sql.write([{ sql: 'DELETE FROM episodes WHERE id = ?', args: [id] }])

  expect(await host.sql.read('SELECT name FROM entities')).toEqual([])
  expect(await host.sql.read('SELECT fact FROM relations')).toEqual([])
})

test('a rebuild for one agent keeps the facts of the others', async () => {
  const host = await testHost()
  const [agent] = await host.sql.read<{ id: string }>('SELECT id FROM agents')
  const own = await store(host, 'Anna lives in Berlin', { agent_id: agent?.id ?? '' })
  await store(host, 'Tim Cook lives in Paris')
  await run(host, 'consolidate')
  await host.sql.write([{ sql: `UPDATE episodes SET content = 'Anna lives in Bonn' WHERE id = ?`, args: [own.id] }])
  await run(host, 'consolidate', { wipe: true, agent_id: agent?.id })

  expect(await names(host)).toEqual(['Anna', 'Bonn', 'Paris', 'Tim Cook'])
  expect((await graphOf(host)).edges).toHaveLength(2)
})

test('nothing can be undone while a job runs, and concurrent changes are kept', async () => {
  const held = holding()
  const { host } = await hostWithModel(answer(), held.step)
  await store(host, 'Anna lives in Berlin')
  await run(host, 'consolidate', { wipe: true })
  await call(endpoints.consolidate, host, { body: { wipe: true } })
  expect((await restore(host)).status).toBe(409)
  const { id } = await store(host, 'Tim Cook lives in Paris')
  await mention(host, [id])
  held.release()
  await workOff(host)

  expect(await names(host)).toContain('Tim Cook')
})

test.each([
  ['a stop', (host: Host) => host.process.running.abortAll(new Stopping('stopping'))],
  ['a failure', (_: Host, fail: () => void) => fail()],
])('%s during a rebuild leaves the graph unchanged', async (_, cut) => {
  const { promise, reject } = Promise.withResolvers<void>()
  promise.catch(() => undefined)
  const { host } = await hostWithModel(answer({ entities: [{ name: 'Oslo', type: 'place' }] }), [promise])
  for (let index = 0; index < 7; index += 1) await store(host, `Note ${index}: Anna lives in Berlin`)
  await run(host, 'backfill')
  const before = await graphOf(host)
  await call(endpoints.consolidate, host, { body: { wipe: true } })
  while ((await latest(host, 'consolidate'))?.progress.done !== 5) await new Promise((resolve) => setImmediate(resolve))
  expect(await states(host)).toEqual(['live', 'building'])
  cut(host, () => reject(new Error('the line is dead')))
  reject(new Error('the line is dead'))
  await host.process.running.settled()

  expect(await graphOf(host)).toEqual(before)
  expect(await states(host)).toEqual(['live'])
  expect((await latest(host, 'consolidate'))?.status).not.toBe('done')
})

test('a crash during a rebuild leaves the graph unchanged, and the next daemon has no job', async () => {
  const sql = createMemorySql()
  const models = scriptedModels(answer({ entities: [{ name: 'Oslo', type: 'place' }] }), [new Promise(() => undefined)])
  const dead = await testHost({ sql, models })
  await configure(dead, ['openai'])
  for (let index = 0; index < 7; index += 1) await store(dead, `Note ${index}: Anna lives in Berlin`)
  await mention(
    dead,
    (await sql.read<{ id: string }>('SELECT id FROM episodes')).map(({ id }) => id),
  )
  const before = await graphOf(dead)
  await call(endpoints.consolidate, dead, { body: { wipe: true } })
  while ((await latest(dead, 'consolidate'))?.progress.done !== 5) await new Promise((resolve) => setImmediate(resolve))

  const next = await testHost({ sql, models: scriptedModels(answer()) })
  expect(await latest(next, 'consolidate')).toBeNull()
  expect(await states(next)).toEqual(['live'])
  expect(await graphOf(next)).toEqual(before)
  expect(await next.sql.read(`SELECT status FROM work WHERE kind = 'memory.job'`)).toEqual([{ status: 'lost' }])
  expect(await recoverWork(next, workKinds(next), true)).toBe(0)
  expect((await call(endpoints.consolidate, next, { body: {} })).status).toBe(202)
})

test('a job whose graph is wiped ends with an error and stores nothing', async () => {
  const held = holding()
  const { host } = await hostWithModel(held.step)
  await store(host, 'Anna lives in Berlin')
  await call(endpoints.consolidate, host, { body: { wipe: true } })
  await tick(host)
  await host.sql.write([{ sql: 'DELETE FROM episodes' }, { sql: `DELETE FROM graphs WHERE state <> 'live'` }])
  held.release()
  await workOff(host)

  expect(await latest(host, 'consolidate')).toMatchObject({ status: 'error' })
  expect(await names(host)).toEqual([])
})
