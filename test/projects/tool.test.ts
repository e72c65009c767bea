import { expect, test } from 'vitest'
import * as conversations from '../../handlers/chat/conversations.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { planStep, projectHost, shown } from './kit.ts'

const propose = toolCall('project', {
  action: 'create',
  name: 'Tea guide',
  description: 'Write a guide to tea',
})

test('plan mode ends in a proposed project that waits for its owner', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Write' } }), ({ messages }, asked) =>
    asked.startsWith('Plan') && messages.at(-1)?.role === 'user' ? propose : undefined,
  )
  const { id } = await (await call(conversations.create, host, { body: { mode: 'plan' } })).json()
  const events = await chat(host, { message: 'Plan a guide to tea', conversation_id: id })
  expect(events.find(({ event }) => event === 'tool_result')?.data.output).toMatchObject({
    status: 'pending',
  })
  await workOff(host)

  const { projects: found } = await (await call(projects.list, host)).json()
  expect(await shown(host, found[0].id)).toMatchObject({
    name: 'Tea guide',
    status: 'pending',
    plan: { status: 'pending_approval' },
    tasks: [{ status: 'pending' }],
  })
})

test('a task of a project cannot create another project', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Write' } }), ({ messages }, asked) =>
    asked === 'Write' && messages.at(-1)?.role === 'user' ? propose : undefined,
  )
  const { id } = await (await call(projects.create, host, { body: { auto_approve_plan: true } })).json()
  const plan = await import('../../handlers/projects/plan.ts')
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  expect((await (await call(projects.list, host)).json()).total).toBe(1)
})
