import { expect, test } from 'vitest'
import { create as createHook } from '../../handlers/hooks/hooks.ts'
import { create as createIncoming, receive } from '../../handlers/hooks/incoming.ts'
import * as automations from '../../handlers/monitoring/automations.ts'
import { create as createChain } from '../../handlers/scheduler/chains.ts'
import { trigger } from '../../handlers/scheduler/jobs.ts'
import type { Host } from '../../runtime/host.ts'
import type { PricedAutomation } from '../../runtime/monitoring/automations.ts'
import type { RunSummary } from '../../runtime/run-summary.ts'
import { day } from '../../runtime/time.ts'
import { loopHost, newLoop } from '../loops/kit.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { newJob } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { drawn, ran as ranWorkflow } from '../workflows/kit.ts'

const listed = async (host: Host, caller = adminCaller): Promise<PricedAutomation[]> =>
  (await (await call(automations.list, host, { caller })).json()).automations

test('one list has what works by itself: what starts it, what it does, when it ran and runs next', async () => {
  const host = await testHost({ models: scriptedModels(text('Done')) })
  const job = await newJob(host)
  const other = await newJob(host)
  await call(createChain, host, { body: { name: 'Both', jobs: [job.id, other.id], edges: [] } })
  const action = { kind: 'notify', message: 'Look' }
  await call(createHook, host, { body: { name: 'Tell me', events: ['job.run.failed'], action } })
  await call(createIncoming, host, { body: { name: 'Deploys', auth: { kind: 'none' } } })
  const nodes = { start: { type: 'trigger.manual' }, end: { type: 'set', params: { values: { a: 1 } } } }
  await ranWorkflow(host, drawn(nodes, ['start → end'], { name: 'Report' }))
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)

  const all = await listed(host)
  expect(all.map(({ kind }) => kind).sort()).toEqual(['chain', 'hook', 'job', 'job', 'webhook', 'workflow'])
  const of = (kind: string) => all.find((one) => one.kind === kind)
  expect(all.find(({ id }) => id === job.id)).toMatchObject({
    ...{ name: job.name, starts: [job.human_readable], does: job.goal, enabled: true, last_status: 'succeeded' },
    ...{ next_run_at: job.next_run_at, cost_usd: 0, href: `/scheduler/${job.id}` },
  })
  expect(of('hook')).toMatchObject({ name: 'Tell me', starts: ['job.run.failed'], does: 'notify', enabled: true })
  expect(of('webhook')).toMatchObject({ name: 'Deploys', starts: [], last_run_at: null })
  // A draft has run by hand; nothing starts it.
  const draft = { name: 'Report', starts: ['trigger.manual'], last_status: 'succeeded', enabled: false }
  expect(of('workflow')).toMatchObject(draft)
  expect(await listed(host, { ...adminCaller, user_id: 'somebody-else' })).toEqual([])

  const response = await call(automations.runs, host)
  const { runs } = (await response.json()) as { runs: RunSummary[] }
  expect(runs.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual(['job succeeded', 'workflow succeeded'])
})

test('a message that has waited for months is open still', async () => {
  const host = await testHost()
  const job = await newJob(host)
  const action = { kind: 'job', job_id: job.id }
  const body = { name: 'Deploys', auth: { kind: 'none' }, action }
  const { path } = await (await call(createIncoming, host, { body })).json()
  await call(receive, host, { params: { path_token: path.split('/').at(-1) }, body: {} })
  await host.clock.advance(100 * day)

  const open = await call(automations.runs, host, { query: { state: 'open' } })
  expect((await open.json()).runs).toMatchObject([{ kind: 'webhook', name: 'Deploys', status: 'pending' }])
})

test('a loop that was never started is in the list, and in no history', async () => {
  const { host } = await loopHost([])
  const loop = await newLoop(host)

  expect(await listed(host)).toMatchObject([
    { kind: 'loop', id: loop.id, does: loop.goal, last_run_at: null, enabled: null },
  ])
  expect(await (await call(automations.runs, host)).json()).toEqual({ runs: [] })
})
