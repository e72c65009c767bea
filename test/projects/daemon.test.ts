import { afterEach, expect, test } from 'vitest'
import type { Audit, Project, ProjectDetails } from '../../runtime/projects/schema.ts'
import { Service } from '../faults/service.ts'
import { type ScriptedStep, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'

let service: Service | undefined
let wire: Wire | undefined
afterEach(async () => {
  await service?.kill()
  await wire?.close()
})

const plan = {
  summary: 'A short guide to tea',
  phases: [
    {
      name: 'Research',
      tasks: [
        { ref: 'a', title: 'Collect kinds of tea' },
        { ref: 'b', title: 'Collect kinds of water' },
      ],
    },
    {
      name: 'Writing',
      tasks: [{ ref: 'c', title: 'Write the guide', depends_on: ['a', 'b'], acceptance: ['It names tea'] }],
    },
  ],
}

const audit = {
  score: 80,
  findings: [{ severity: 'warning', task_id: null, message: 'No sources', suggestion: 'Name them' }],
}

/** Plans, writes one file for each task, reviews and audits, by the tools that it is offered. */
const model: ScriptedStep = ({ body }) => {
  const { messages, tools = [] } = body as { messages: unknown[]; tools?: unknown[] }
  const offers = (name: string) => JSON.stringify(tools).includes(`"name":"${name}"`)
  if (offers('submit_plan')) return toolCall('submit_plan', plan)
  if (offers('submit_verdict')) return toolCall('submit_verdict', { met: true })
  if (offers('submit_audit')) return toolCall('submit_audit', audit)
  if (!offers('files')) return text('Tea guide')
  if (/tool_result|"role":"tool"/.test(JSON.stringify(messages.at(-1)))) return text('It is written.')
  const titles = plan.phases.flatMap(({ tasks: all }) => all.map(({ title }) => title))
  // The brief names all tasks; the task itself is a text of its own.
  const title = titles.find((one) => JSON.stringify(messages).includes(`:"${one}`)) ?? ''
  const path = `${title.replaceAll(' ', '-')}.md`
  return toolCall('files', { action: 'write', path, content: 'Green tea, soft water.' })
}

test.each(['openai', 'anthropic'] as const)(
  'over the wire of %s, one sentence becomes a plan, files and an audit',
  async (provider) => {
    wire = await startWire({ otherwise: model })
    const daemon = await Service.start()
    service = daemon
    await daemon.read('PUT', `/api/providers/${provider}/key`, {
      api_key: 'sk-test-0123456789',
      base_url: wire.url[provider],
      default_model: 'model-a',
    })
    const { id } = await daemon.read<Project>('POST', '/api/projects', {
      description: 'Write a guide to tea',
    })
    const shown = () => daemon.read<ProjectDetails>('GET', `/api/projects/${id}`)
    await daemon.read('POST', `/api/projects/${id}/generate-plan`)
    const planned = await eventually(async () => {
      const project = await shown()
      return project.plan && project
    })
    expect(planned).toMatchObject({ status: 'pending', plan: { made_by: `${provider}/model-a` } })
    expect(planned.tasks.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])

    await daemon.read('POST', `/api/projects/${id}/approve`)
    const done = await eventually(async () => {
      const project = await shown()
      return project.status !== 'running' && project
    })
    expect(done).toMatchObject({ status: 'completed', error: null })
    const [tea, water, guide] = done.tasks
    // In parallel: each started before the other had ended.
    expect(Date.parse(water?.started_at ?? '')).toBeLessThanOrEqual(Date.parse(tea?.completed_at ?? ''))
    expect(Date.parse(tea?.started_at ?? '')).toBeLessThanOrEqual(Date.parse(water?.completed_at ?? ''))
    expect(guide?.outputs.map(({ kind, name }) => [kind, name])).toEqual([
      ['text', 'Report'],
      ['file', 'Write-the-guide.md'],
    ])
    const file = await daemon.send('GET', `/api/projects/${id}/files/raw?path=Write-the-guide.md`)
    expect(await file.text()).toBe('Green tea, soft water.')
    const zip = await daemon.send('GET', `/api/projects/${id}/download`)
    expect(new Uint8Array(await zip.arrayBuffer()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]))

    const findings = await daemon.read<Audit>('POST', `/api/projects/${id}/audit`, { scope: 'result' })
    expect(findings).toMatchObject({ ...audit, made_by: `${provider}/model-a` })
    expect(await daemon.read('GET', `/api/projects/${id}/audit`)).toEqual({ audit: findings })
  },
)
