import { expect, test } from 'vitest'
import { now } from '../../handlers/monitoring/now.ts'
import { trigger } from '../../handlers/scheduler/jobs.ts'
import type { Host } from '../../runtime/host.ts'
import type { Now } from '../../runtime/monitoring/now.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { day } from '../../runtime/time.ts'
import { loopHost, ran as ranLoop } from '../loops/kit.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'
import { newJob } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { drawn, ran as ranWorkflow } from '../workflows/kit.ts'

const nowOf = async (host: Host, caller = adminCaller): Promise<Now> => (await call(now, host, { caller })).json()

const failing = (): Step => [new ModelError('internal_error', 'the vendor answers nonsense')]

test('failures of one job are one entry with their number, for three days and for its owner alone', async () => {
  const host = await testHost({ models: scriptedModels(failing(), failing(), text('Well')) })
  const job = await newJob(host)
  for (const _ of [1, 2, 3]) {
    await call(trigger, host, { params: { id: job.id } })
    await workOff(host)
  }
  const { failed } = await nowOf(host)

  expect(failed).toEqual([
    expect.objectContaining({ kind: 'job', id: job.id, name: job.name, status: 'failed', count: 2 }),
  ])
  expect(await nowOf(host, { ...adminCaller, user_id: 'somebody-else' })).toMatchObject({ failed: [], running: [] })
  await host.clock.advance(3 * day + 1)
  expect((await nowOf(host)).failed).toEqual([])
})

test('an execution that waits runs, and one that failed is a failure of its workflow', async () => {
  const host = await testHost()
  const later = { start: { type: 'trigger.manual' }, later: { type: 'delay', params: { seconds: 3_600 } } }
  await ranWorkflow(host, drawn(later, ['start → later'], { name: 'Later' }))
  const stop = { start: { type: 'trigger.manual' }, stop: { type: 'stop', params: { error: 'No tea' } } }
  await ranWorkflow(host, drawn(stop, ['start → stop'], { name: 'Tea' }))
  const { running, failed } = await nowOf(host)

  expect(running).toMatchObject([{ kind: 'workflow', name: 'Later', status: 'waiting' }])
  expect(failed).toMatchObject([{ kind: 'workflow', name: 'Tea', detail: 'No tea', count: 1 }])
})

test('what a job has started is one entry, and so is its failure', async () => {
  const host = await testHost()
  const workflows = {
    Later: { type: 'delay', params: { seconds: 3_600 } },
    Tea: { type: 'stop', params: { error: 'No tea' } },
  }
  for (const [name, then] of Object.entries(workflows)) {
    const { workflow_id } = await ranWorkflow(
      host,
      drawn({ start: { type: 'trigger.manual' }, then }, ['start → then'], { name }),
    )
    const job = await newJob(host, { target: { kind: 'workflow', id: workflow_id } })
    await call(trigger, host, { params: { id: job.id } })
    await workOff(host)
  }
  const { running, failed } = await nowOf(host)

  expect(running).toMatchObject([
    { kind: 'workflow', name: 'Later' },
    { kind: 'workflow', name: 'Later' },
  ])
  expect(failed).toMatchObject([{ kind: 'workflow', name: 'Tea', count: 2 }])
})

test('today costs what was spent since midnight of the profile', async () => {
  const { host } = await loopHost([])
  await ranLoop(host)
  const { today } = await nowOf(host)

  expect(today.tokens).toBeGreaterThan(0)
  await host.clock.advance(day)
  expect((await nowOf(host)).today).toEqual({ tokens: 0, cost_usd: 0 })
})
