import { expect, test } from 'vitest'
import * as agents from '../../handlers/agents/agents.ts'
import * as files from '../../handlers/projects/files.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { call } from '../support/call.ts'
import { text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, askedIn, createProject, planStep, projectHost, shown, taskNamed, wants } from './kit.ts'

const goal = 'Write a guide to tea for my aunt. She is 80 and hates jargon.'
const drafted = planStep({
  a: { title: 'Collect kinds of tea', acceptance: ['Three kinds are named'], files: ['kinds.md'] },
  b: {
    title: 'Write the guide',
    depends_on: ['a'],
    acceptance: ['It names three kinds'],
    files: ['guide.md'],
  },
})

/** All that a request says, as one text. */
const said = ({ system, messages }: ModelCall) =>
  [
    system,
    ...messages.map(({ content }) =>
      content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('\n'),
    ),
  ].join('\n')

const worker = (modelCall: ModelCall) => {
  if (wants(modelCall, 'submit_verdict')) return toolCall('submit_verdict', { met: true })
  const path = askedIn(modelCall).startsWith('Collect') ? 'kinds.md' : 'guide.md'
  if (modelCall.messages.at(-1)?.role === 'tool') return text(`Green, black and white tea are in ${path}.`)
  return toolCall('files', { action: 'write', path, content: 'Green, black, white.' })
}

async function planned(script = worker) {
  const { host, models } = await projectHost(drafted, script)
  const { id } = await createProject(host, { description: goal, strategy: 'balanced' })
  return { host, models, id }
}

async function carriedOut(script = worker) {
  const { host, models, id } = await planned(script)
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const project = await approved(host, id)
  return { project, models, calls: models.calls }
}

test('the planner reads the goal as written, the time, the agents, the tools and the files that exist', async () => {
  const { host, models, id } = await planned()
  await call(agents.create, host, { body: { name: 'Ines', description: 'Knows tea. And more.' } })
  const form = new FormData()
  form.append('file', new File(['Aunt Rosa likes oolong.'], 'notes.txt'))
  await call(files.upload, host, { params: { id }, body: form })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)

  const request = said(models.calls.find((one) => wants(one, 'submit_plan')) as ModelCall)
  for (const part of [
    goal,
    /Now: \w+, \d{4}-/,
    '- Ines: Knows tea.',
    '- files: ',
    'notes.txt (23 bytes)',
    'Aunt Rosa likes oolong.',
  ])
    expect(request).toMatch(part instanceof RegExp ? part : new RegExp(RegExp.escape(part)))
  // A plan made of uploaded text is untrusted, and so are the tasks.
  expect((await shown(host, id)).plan?.tainted).toBe(true)
})

test('a task reads the goal, the plan, its criteria, the other tasks, results before it and the files', async () => {
  const { project, calls } = await carriedOut()
  expect(project.status).toBe('completed')
  const guide = said(calls.find((one) => askedIn(one).startsWith('Write the guide')) as ModelCall)
  for (const part of [
    goal,
    'A small plan',
    '- Collect kinds of tea (completed; writes kinds.md)',
    '- Write the guide (yours; writes guide.md)',
    'Green, black and white tea are in kinds.md.',
    'kinds.md (20 bytes)',
    '- It names three kinds',
  ])
    expect(guide).toContain(part)
})

test('a task has instructions of its own, and no tool that asks or starts other work', async () => {
  const { calls } = await carriedOut()
  const work = calls.find((one) => wants(one, 'files')) as ModelCall
  expect(work.system).toContain('You carry out one task of a project')
  expect(work.system).not.toContain('Ask one question')
  for (const name of ['ask_user', 'project', 'loop', 'schedule_job', 'arm_check_in'])
    expect(wants(work, name)).toBe(false)
})

test('both tasks begin with the same bytes, so that vendors can cache them', async () => {
  const { calls } = await carriedOut()
  const systems = calls.filter((one) => wants(one, 'files')).map(({ system }) => system)
  expect(new Set(systems).size).toBe(1)
})

test('a second attempt continues in the conversation, with the finding in plain text', async () => {
  let reviews = 0
  const { project, calls } = await carriedOut((modelCall) => {
    if (!wants(modelCall, 'submit_verdict')) return worker(modelCall)
    reviews += 1
    return toolCall(
      'submit_verdict',
      reviews === 1 ? { met: false, missing: 'White tea is no kind of tea' } : { met: true },
    )
  })
  expect(taskNamed(project, 'Collect kinds of tea')).toMatchObject({ status: 'completed', attempts: 2 })
  const again = calls.find((one) => askedIn(one).includes('White tea is no kind of tea')) as ModelCall
  expect(askedIn(again)).not.toContain('<untrusted>')
  expect(JSON.stringify(again.messages)).toContain('Green, black, white.')
})

test('the reviewer reads the outcome of each call and the content of the files', async () => {
  const { calls } = await carriedOut()
  const review = said(calls.find((one) => wants(one, 'submit_verdict')) as ModelCall)
  for (const part of ['- Three kinds are named', 'kinds.md', 'Green, black, white.']) expect(review).toContain(part)
})

test('tasks that would write the same file at the same time run one after the other', async () => {
  const both = planStep({
    a: { title: 'Begin', acceptance: ['It begins'], files: ['tea.md'] },
    b: { title: 'End', acceptance: ['It ends'], files: ['tea.md'] },
  })
  const { host } = await projectHost(both)
  const { id } = await createProject(host)
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const project = await shown(host, id)
  expect(taskNamed(project, 'End').depends_on).toEqual([taskNamed(project, 'Begin').id])
})

test.each(['economy', 'balanced'] as const)(
  '%s: a file of the plan that was not written keeps a task open',
  async (strategy) => {
    const { host } = await projectHost(
      planStep({ a: { title: 'Say it', acceptance: ['Said'], files: ['tea.md'] } }),
      (one) =>
        wants(one, 'submit_verdict')
          ? toolCall('submit_verdict', { met: true })
          : text('Green tea is steamed and has little caffeine.'),
    )
    const { id } = await createProject(host, { strategy })
    await call(plan.generatePlan, host, { params: { id } })
    await workOff(host)
    const project = await approved(host, id)
    expect(taskNamed(project, 'Say it')).toMatchObject({
      status: 'failed',
      error: 'tea.md was not written: no call has changed anything',
    })
  },
)

test('failed tasks are changed, and retried together with a note that their agents read', async () => {
  let isReady = false
  const { host, models, id } = await planned((modelCall) =>
    isReady || !wants(modelCall, 'files') ? worker(modelCall) : text('Done.'),
  )
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const failed = await approved(host, id)
  const task = taskNamed(failed, 'Collect kinds of tea')
  expect([failed.status, task.status, task.attempts]).toEqual(['failed', 'failed', 3])

  const params = { id, task_id: task.id }
  const body = { description: 'Ask the shop first' }
  expect((await call(plan.updateTask, host, { params, body })).status).toBe(200)
  isReady = true
  expect((await call(plan.retryFailed, host, { params: { id }, body: { note: 'The shop is in Ulm' } })).status).toBe(
    200,
  )
  await workOff(host)
  expect((await shown(host, id)).status).toBe('completed')
  const again = said(models.calls.find((one) => said(one).includes('The shop is in Ulm')) as ModelCall)
  expect(again).toContain('Ask the shop first')
  expect((await call(plan.retryFailed, host, { params: { id }, body: {} })).status).toBe(409)
})

test('a task reads one line for each other task of the project', async () => {
  const { host, models } = await projectHost(
    planStep({
      a: { title: 'Brew tea', acceptance: ['Hot'] },
      b: { title: 'Bake bread', acceptance: ['Brown'] },
    }),
  )
  const { id } = await createProject(host, { strategy: 'performance' })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  await approved(host, id)
  expect(said(models.calls.find((one) => askedIn(one) === 'Brew tea') as ModelCall)).toContain('- Bake bread (')
})

test('the planner reads how earlier projects ended, if the owner asks for it', async () => {
  const { host, models } = await projectHost(drafted, (one) =>
    wants(one, 'submit_verdict') ? toolCall('submit_verdict', { met: false, missing: 'Oolong' }) : worker(one),
  )
  const { id } = await createProject(host, { strategy: 'balanced', name: 'Teapots' })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  await approved(host, id)
  const request = async (use_lessons: boolean) => {
    const { id: next } = await createProject(host, { use_lessons })
    await call(plan.generatePlan, host, { params: { id: next } })
    await workOff(host)
    return said(models.calls.findLast((one) => wants(one, 'submit_plan')) as ModelCall)
  }
  expect(await request(false)).not.toContain('Teapots')
  expect(await request(true)).toMatch(/Teapots \(failed\): The task .* failed: .*Oolong/)
})

test('a task that is retried by hand reads what its last attempt did and found', async () => {
  const { host, models, id } = await planned((one) =>
    wants(one, 'submit_verdict') ? toolCall('submit_verdict', { met: false, missing: 'Oolong' }) : worker(one),
  )
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  await approved(host, id)
  const before = models.calls.length
  await call(plan.retryFailed, host, { params: { id } })
  await workOff(host)
  const again = said(models.calls[before] as ModelCall)
  expect(again).toMatch(/# An earlier attempt failed\nThe result does not meet the criteria: Oolong/)
  expect(again).toContain('Write kinds.md: ')
})

test('the planner reads the beginning of a file that is too long', async () => {
  const { host, models, id } = await planned()
  const form = new FormData()
  form.append('file', new File(['Aunt Rosa. '.repeat(9_000)], 'notes.txt'))
  await call(files.upload, host, { params: { id }, body: form })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const request = said(models.calls.find((one) => wants(one, 'submit_plan')) as ModelCall)
  expect(request).toContain('Aunt Rosa. Aunt Rosa.')
  expect(request).toContain('[cut here: the file has 99000 bytes]')
})

test('an audit reads the tasks by their titles, and the ids only to name one in a finding', async () => {
  const finding = { severity: 'error', task_id: null, message: 'The guide is short', suggestion: 'Write more' }
  const { host, models, id } = await planned((modelCall) =>
    wants(modelCall, 'submit_audit') ? toolCall('submit_audit', { score: 40, findings: [finding] }) : worker(modelCall),
  )
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const { tasks } = await approved(host, id)
  await call(projects.audit, host, { params: { id }, body: { scope: 'result' } })
  const request = said(models.calls.findLast((one) => wants(one, 'submit_audit')) as ModelCall)
  expect(request).toContain('"Collect kinds of tea", "Write the guide"')
  expect(request).toContain('Starts after: "Collect kinds of tea"')
  for (const task of tasks) expect(request.split(task.id)).toHaveLength(2)
})
