import { expect, test } from 'vitest'
import type { Conversation } from '../../runtime/chat/schema.ts'
import type { Project, ProjectDetails } from '../../runtime/projects/schema.ts'
import { refuse, type ScriptedStep, text, toolCall } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'

const tasks = Array.from({ length: 6 }, (_, index) => ({ ref: `t${index}`, title: `Task ${index}` }))
let isOut = true

/** Plans six tasks; refuses them until the vendor is open again. */
const model: ScriptedStep = ({ body }) => {
  const { tools = [] } = body as { tools?: unknown[] }
  if (JSON.stringify(tools).includes('submit_plan'))
    return toolCall('submit_plan', { summary: 'Six tasks', phases: [{ name: 'All', tasks }] })
  return isOut ? refuse('rate_limit', { retry_after: '6' }) : text('It is done: a short text.')
}

const { service } = await wiredService({ otherwise: model })

const shown = (id: string) => service.read<ProjectDetails>('GET', `/api/projects/${id}`)

test('tasks that wait for the vendor when the daemon is killed still wait after it, and use one attempt', async () => {
  const body = { name: 'Six', description: 'Do six tasks', auto_approve_plan: true }
  const { id } = await service.read<Project>('POST', '/api/projects', body)
  await service.read('POST', `/api/projects/${id}/generate-plan`)
  const before = await eventually(async () => {
    const { tasks: now } = await shown(id)
    const running = now.filter(({ status }) => status === 'running')
    return running.length > 1 && running.every(({ waiting }) => waiting) && running
  })
  await service.kill()
  await service.restart()

  const after = await shown(id)
  for (const { id: task, waiting, conversation_id } of before) {
    expect(after.tasks.find((one) => one.id === task)).toMatchObject({
      status: 'running',
      attempts: 1,
      waiting,
    })
    const conversation = await service.read<Conversation>('GET', `/api/chat/conversations/${conversation_id}`)
    expect(conversation).toMatchObject({ status: 'running', waiting })
  }
  isOut = false
  const done = await eventually(async () => {
    const now = await shown(id)
    return now.status !== 'running' && now
  })
  expect(done).toMatchObject({ status: 'completed', error: null })
  expect(done.tasks.map(({ status, attempts }) => [status, attempts])).toEqual(tasks.map(() => ['completed', 1]))
})
