import { expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { ExecutionDetails } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, executionsOf, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const wait = { type: 'delay', params: { seconds: 3_600 } }
const restart = { settings: { mode: 'restart' } }

const statusesOf = (all: readonly ExecutionDetails[]) => all.map(({ status }) => status).sort()

test.each([
  ['that wait', { start, wait }, 'waiting'],
  ['that end at once', { start, wait: { type: 'set' } }, 'succeeded'],
] as const)('of 30 starts at once of executions %s, each is accepted and one remains', async (_, nodes, last) => {
  const host = await testHost()
  const { id } = await created(host, drawn(nodes, ['start → wait'], restart))
  const execute = () => call(executions.execute, host, { params: { id }, body: {} })
  const answers = await Promise.all(Array.from({ length: 30 }, execute))
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(202))
  await workOff(host)
  const all = await executionsOf(host, id)
  expect(all).toHaveLength(30)
  expect(all[0]?.status).toBe(last)
  expect(all.filter(({ status }) => status === 'cancelled').length).toBeGreaterThan(last === 'waiting' ? 28 : -1)
  expect(all.every(({ status }) => status === last || status === 'cancelled')).toBe(true)
})

test('30 calls of a webhook at once are accepted, and one execution remains', async () => {
  const host = await testHost()
  const hook = { type: 'trigger.webhook', params: {} }
  const { id } = await created(host, drawn({ hook, wait }, ['hook → wait'], restart))
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const token = String(triggers[0]?.path).split('/').at(-1) ?? ''
  const receive = () => call(hooks.postHook, host, { params: { token }, body: '{}' })
  const answers = await Promise.all(Array.from({ length: 30 }, receive))
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(202))
  await workOff(host)
  expect(statusesOf(await executionsOf(host, id))).toEqual([...Array(29).fill('cancelled'), 'waiting'])
})

test('sub-workflows started at once replace each other, and no caller hangs', async () => {
  const host = await testHost()
  const inner = await created(host, drawn({ start, wait }, ['start → wait'], restart))
  const run = { type: 'sub_workflow', params: { workflow_id: inner.id } }
  const outer = await created(host, drawn({ start, run }, ['start → run']))
  const ids = await Promise.all(Array.from({ length: 10 }, () => started(host, outer.id)))
  await workOff(host)
  const callers = await Promise.all(ids.map((id) => execution(host, id)))
  expect(statusesOf(callers)).toEqual([...Array(9).fill('failed'), 'waiting'])
  expect(statusesOf(await executionsOf(host, inner.id))).toEqual([...Array(9).fill('cancelled'), 'waiting'])
})

test('changes of a workflow at once are all applied', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start }, []))
  const change = (body: object) => call(workflows.update, host, { params: { id }, body })
  const changes = [{ name: 'New' }, { description: 'Text' }, { tags: ['a'] }, { variables: { a: 1 } }]
  const answers = await Promise.all([...changes.map(change), call(workflows.activate, host, { params: { id } })])
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
  const after = await (await call(workflows.show, host, { params: { id } })).json()
  expect(after).toMatchObject({ ...Object.assign({}, ...changes), status: 'active' })
})

test('of cancellations at once one counts, also while the execution advances', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start, wait }, ['start → wait']))
  const run = await started(host, id)
  const cancel = () => call(executions.cancel, host, { params: { id: run } })
  const answers = await Promise.all([cancel(), cancel(), workOff(host).then(() => new Response())])
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 200])
  expect((await execution(host, run)).status).toBe('cancelled')
})
