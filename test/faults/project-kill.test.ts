import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Project, ProjectDetails } from '../../runtime/projects/schema.ts'
import { type ScriptedStep, text, toolCall } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import { seeded } from './random.ts'

/** Kills of one run; more of them with the variable KILLS, others with SEED. */
const kills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.SEED ?? 20261122)
const count = 16

const tasks = Array.from({ length: count }, (_, index) => ({
  ref: `t${index}`,
  title: `Task ${index}`,
  depends_on: index >= 8 ? [`t${index - 8}`] : [],
}))

/** Plans the tasks; each appends one line to a file of its own, slowly, and then reports. */
const model: ScriptedStep = ({ body, last_user_text }) => {
  const { messages, tools = [] } = body as { messages: { role: string }[]; tools?: unknown[] }
  if (JSON.stringify(tools).includes('submit_plan'))
    return toolCall('submit_plan', { summary: 'Many tasks', phases: [{ name: 'All', tasks }] })
  if (messages.at(-1)?.role === 'tool') return text('It is done.')
  const name = /Task (\d+)/.exec(last_user_text)?.[1]
  if (name === undefined) return text('Nothing to do.')
  return toolCall('files', { action: 'append', path: `${name}.txt`, content: 'once' })
}

const { service } = await wiredService({ otherwise: model })

const shown = (id: string) => service.read<ProjectDetails>('GET', `/api/projects/${id}`)

const finishedIn = ({ tasks }: ProjectDetails) =>
  tasks.filter(({ status }) => status === 'completed').map(({ id, completed_at }) => ({ id, completed_at }))

/** A person leaves out what may have happened already. */
async function skipRepeats(project: ProjectDetails): Promise<void> {
  for (const { id, status, block } of project.tasks)
    if (status === 'blocked' && block?.kind === 'repeat')
      await service.read('POST', `/api/projects/${project.id}/tasks/${id}/answer`, { answer: 'Skip' })
}

async function runningProject(): Promise<string> {
  const body = { name: 'Many', description: 'Do many tasks', auto_approve_plan: true }
  const { id } = await service.read<Project>('POST', '/api/projects', body)
  await service.read('POST', `/api/projects/${id}/generate-plan`)
  await eventually(async () => (await shown(id)).status === 'running')
  return id
}

test(`a project survives ${kills} kills: finished tasks stay finished, and nothing is done twice`, async () => {
  const random = seeded(seed)
  let id = await runningProject()
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(random() * 700)
    const before = await shown(id)
    await service.kill()
    await service.restart()
    const after = await shown(id)
    expect(finishedIn(after)).toEqual(expect.arrayContaining(finishedIn(before)))

    await skipRepeats(after)
    // The rest continues by itself.
    await eventually(async () => {
      const now = await shown(id)
      await skipRepeats(now)
      return now.status !== 'running' || now.tasks.some(({ status }) => status === 'running')
    })
    if ((await shown(id)).status !== 'running') id = await runningProject()
  }
  const done = await eventually(async () => {
    const now = await shown(id)
    await skipRepeats(now)
    return now.status !== 'running' && now
  })
  expect(done).toMatchObject({ status: 'completed', error: null })

  const { projects } = await service.read<{ projects: Project[] }>('GET', '/api/projects')
  for (const project of projects) await checkFiles(project.id)
})

/** Each task that was completed has written its line exactly once. */
async function checkFiles(id: string): Promise<void> {
  for (const { title, status } of (await shown(id)).tasks) {
    const name = title.replace('Task ', '')
    const file = await service.send('GET', `/api/projects/${id}/files/raw?path=${name}.txt`)
    const lines = file.ok ? (await file.text()).split('\n').filter(Boolean) : []
    if (status === 'completed') expect([title, lines]).toEqual([title, ['once']])
    else expect(lines.length).toBeLessThanOrEqual(1)
  }
}
