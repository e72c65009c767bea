import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as files from '../../handlers/projects/projects.ts'
import * as jobs from '../../handlers/scheduler/jobs.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf } from './kit.ts'

const copy = { end: { type: 'set', params: { values: { seen: true } } } }

async function activated(host: MemoryHost, trigger: { type: string; [name: string]: unknown }) {
  const { id } = await created(host, drawn({ go: trigger, ...copy }, ['go → end']))
  const response = await call(workflows.activate, host, { params: { id } })
  expect(await response.json()).toMatchObject({ status: 'active' })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  return { id, trigger: triggers[0] }
}

test('a webhook starts its workflow, by its own address, while it is active', async () => {
  const host = await testHost()
  const { id, trigger } = await activated(host, { type: 'trigger.webhook', params: { methods: ['POST'] } })
  const token = trigger.path.split('/').at(-1)
  const send = (params: object) => call(hooks.postHook, host, { params: { token, ...params }, body: { order: 7 } })
  expect((await send({})).status).toBe(202)
  expect((await send({ token: 'guessed' })).status).toBe(404)
  expect((await call(hooks.getHook, host, { params: { token } })).status).toBe(404)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([
    { trigger: 'webhook', status: 'succeeded', output: { method: 'POST', body: { order: 7 }, seen: true } },
  ])
  await call(workflows.deactivate, host, { params: { id } })
  expect((await send({})).status).toBe(404)
})

test('a webhook accepts each method that its node offers', async () => {
  const host = await testHost()
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const { id, trigger } = await activated(host, { type: 'trigger.webhook', params: { methods } })
  const token = trigger.path.split('/').at(-1)
  for (const hook of Object.values(hooks)) expect((await call(hook, host, { params: { token } })).status).toBe(202)
  await workOff(host)
  const runs = await executionsOf(host, id)
  expect(runs.map(({ output }) => (output as { method: string }).method).sort()).toEqual(methods.sort())
})

test('each webhook has a limit of its own', async () => {
  const host = await testHost()
  const { trigger } = await activated(host, { type: 'trigger.webhook', params: { methods: ['GET'] } })
  const other = await activated(host, { type: 'trigger.webhook', params: { methods: ['GET'] } })
  const send = ({ path }: { path: string }) =>
    call(hooks.getHook, host, { params: { token: path.split('/').at(-1) ?? '' } })
  for (let sent = 0; sent < 120; sent += 1) expect((await send(trigger)).status).toBe(202)
  const refused = await send(trigger)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await send(other.trigger)).status).toBe(202)
  await host.clock.advance(60_000)
  expect((await send(trigger)).status).toBe(202)
})

test('a schedule is a job of the scheduler while the workflow is active', async () => {
  const host = await testHost()
  const schedule = { type: 'every', interval: 3600 }
  const { id, trigger } = await activated(host, { type: 'trigger.schedule', params: { schedule } })
  expect(trigger.job_id).toMatch(/^job_/)
  await host.clock.advance(3_600_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ trigger: 'schedule', status: 'succeeded' }])
  const shown = await (await call(jobs.show, host, { params: { id: trigger.job_id } })).json()
  expect(shown).toMatchObject({ target: { kind: 'workflow', id }, last_status: 'succeeded' })

  await call(workflows.deactivate, host, { params: { id } })
  expect((await call(jobs.show, host, { params: { id: trigger.job_id } })).status).toBe(404)
})

test('a schedule follows the time zone of its workflow', async () => {
  const host = await testHost()
  const schedule = { type: 'cron', expression: '0 9 * * *' }
  const { id, trigger } = await activated(host, { type: 'trigger.schedule', params: { schedule } })
  const next = async () => (await (await call(workflows.triggers, host, { params: { id } })).json()).triggers[0]
  expect(trigger.next_run_at).toBe('2026-01-06T09:00:00.000Z')
  await call(workflows.update, host, { params: { id }, body: { settings: { timezone: 'Asia/Tokyo' } } })
  expect((await next()).next_run_at).toBe('2026-01-06T00:00:00.000Z')
  const { job_id } = await next()
  await call(workflows.update, host, { params: { id }, body: { description: 'Another one' } })
  expect((await next()).job_id).toBe(job_id)
})

test('a trigger of an unknown event, and an error workflow that does not exist, are told', async () => {
  const host = await testHost()
  let gone = await created(host, drawn({ ...copy }, []))
  const issuesOf = async (body: object) => {
    const { id } = await created(host, body)
    await call(workflows.remove, host, { params: { id: gone.id } })
    return (await (await call(workflows.validate, host, { params: { id }, body: {} })).json()).issues
  }
  const typo = { type: 'trigger.event', params: { event: 'project.finish' } }
  expect(await issuesOf(drawn({ typo, ...copy }, ['typo → end']))).toMatchObject([
    { path: 'nodes.typo.params.event', severity: 'error' },
  ])
  gone = await created(host, drawn({ ...copy }, []))
  const settings = { error_workflow_id: gone.id }
  expect(await issuesOf(drawn({ go: { type: 'trigger.manual' } }, [], { settings }))).toMatchObject([
    { path: 'settings.error_workflow_id', severity: 'warning' },
  ])
})

test('the query of a webhook keeps all values of a name', async () => {
  const host = await testHost()
  const { id, trigger } = await activated(host, { type: 'trigger.webhook', params: { methods: ['GET'] } })
  const token = trigger.path.split('/').at(-1)
  await call(hooks.getHook, host, { params: { token }, query: new URLSearchParams('tag=a&tag=b&n=1') })
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ output: { query: { tag: ['a', 'b'], n: '1' } } }])
})

test('an event starts a workflow once if its filter is true', async () => {
  const host = await testHost()
  const { id } = await activated(host, {
    type: 'trigger.event',
    params: { event: 'project.created', filter: 'data.name = "Tea"' },
  })
  await workOff(host)
  for (const name of ['Tea', 'Water', 'Tea']) await call(files.create, host, { body: { name } })
  await workOff(host)
  const runs = await executionsOf(host, id)
  expect(runs).toHaveLength(2)
  expect(runs[0]).toMatchObject({
    status: 'succeeded',
    output: { type: 'project.created', data: { name: 'Tea' } },
  })
})

test('an event that workflows cause themselves starts them a limited number of times', async () => {
  const host = await testHost()
  const project = { type: 'project', params: { name: 'Next', goal: 'Next', wait: false } }
  const event = { type: 'trigger.event', params: { event: 'project.created' } }
  const make = async () => {
    const { id } = await created(host, drawn({ go: event, project }, ['go → project']))
    expect((await call(workflows.activate, host, { params: { id } })).status).toBe(200)
    return id
  }
  const id = await make()
  await workOff(host)
  await call(files.create, host, { body: { name: 'First' } })
  await workOff(host)
  const runs = await executionsOf(host, id)
  expect(runs).toHaveLength(12)
  expect(runs[0]).toMatchObject({
    status: 'failed',
    error: {
      node_id: 'go',
      code: 'too_deep',
      message: 'Workflows can start each other at most 10 levels deep',
    },
  })
  expect(runs.slice(1).every(({ status }) => status === 'succeeded')).toBe(true)
  // What a person does begins a new chain.
  await call(files.create, host, { body: { name: 'Second' } })
  await workOff(host)
  expect(await executionsOf(host, id)).toHaveLength(24)
})
