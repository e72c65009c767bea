import { expect, test } from 'vitest'
import * as changes from '../../handlers/projects/changes.ts'
import * as plan from '../../handlers/projects/plan.ts'
import type { Host } from '../../runtime/host.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { day, iso } from '../../runtime/time.ts'
import { retainedChanges } from '../../runtime/tools/change-store.ts'
import { projectRoot } from '../../runtime/tools/workspace.ts'
import { call } from '../support/call.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { approved, askedIn, plannedProject, planStep, projectHost, taskNamed, wants } from './kit.ts'

const steps = planStep({
  a: { title: 'Begin' },
  b: { title: 'Go on', depends_on: ['a'] },
  c: { title: 'End', depends_on: ['b'] },
})
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)

const edit = (find: string, replace: string) => toolCall('files', { action: 'edit', path: 'tea.md', find, replace })

const done = ({ messages }: ModelCall) => messages.at(-1)?.role === 'tool'

async function carriedOut(second: Step, third: Step = edit('line 35\n', 'line thirty-five\n')) {
  const { host } = await projectHost(steps, (one) => {
    if (wants(one, 'submit_verdict')) return toolCall('submit_verdict', { met: true })
    if (done(one)) return text('I did what was asked, in tea.md.')
    const [title = ''] = askedIn(one).split('\n')
    if (title === 'Begin')
      return toolCall('files', { action: 'write', path: 'tea.md', content: `${lines.join('\n')}\n` })
    return title === 'Go on' ? second : third
  })
  const project = await approved(host, (await plannedProject(host, { strategy: 'economy' })).id)
  expect(project.status).toBe('completed')
  const params = (title: string) => ({ id: project.id, task_id: taskNamed(project, title).id })
  const undo = async (title: string) => call(changes.undo, host, { params: params(title) })
  return { host, project, params, undo }
}

async function fileOf(host: Host, id: string, path = 'tea.md') {
  const bytes = await host.files.read(projectRoot(id, ''), path)
  return bytes && new TextDecoder().decode(bytes)
}

test('a task shows what it changed, and undoing it keeps what others changed since', async () => {
  const { host, project, params, undo } = await carriedOut(edit('line 5\n', 'line five\n'))
  const listed = await (await call(changes.changes, host, { params: params('Go on') })).json()
  expect(listed).toMatchObject({ count: 1, changes: [{ path: 'tea.md', undone: false, note: null }] })
  expect(listed.changes[0].before).toContain('line 5\n')
  expect(listed.changes[0].after).toContain('line five\n')

  const answer = await undo('Go on')
  expect([answer.status, await answer.json()]).toMatchObject([200, { paths: ['tea.md'], changes: [{ undone: true }] }])
  const now = lines.with(35, 'line thirty-five').join('\n')
  expect(await fileOf(host, project.id)).toBe(`${now}\n`)
  expect((await undo('Go on')).status).toBe(409)
})

test('what others have changed in the same lines is not undone, and nothing else either', async () => {
  const { host, project, undo } = await carriedOut(edit('line 5\n', 'line five\n'), edit('line five\n', 'line 5!\n'))
  const before = await fileOf(host, project.id)
  const refused = await undo('Go on')
  expect([refused.status, (await refused.json()).message]).toEqual([409, expect.stringContaining('tea.md')])
  expect(await fileOf(host, project.id)).toBe(before)
  // From the last one to the first, all of it can be undone.
  for (const title of ['End', 'Go on', 'Begin']) expect((await undo(title)).status).toBe(200)
  expect(await fileOf(host, project.id)).toBeNull()
})

test('a running task is not undone', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Begin' } }), () =>
    toolCall('ask_user', { question: 'Which tea?' }),
  )
  const project = await approved(host, (await plannedProject(host, { decision_mode: 'human' })).id)
  const params = { id: project.id, task_id: taskNamed(project, 'Begin').id }
  expect((await call(changes.undo, host, { params })).status).toBe(409)
  await call(plan.answer, host, { params, body: { answer: 'Green' } })
})

test('what is older than the settings say is removed with its contents', async () => {
  const { host, params, undo } = await carriedOut(edit('line 5\n', 'line five\n'))
  const kept = async () =>
    (await Promise.all((await host.files.list('kept')).map(({ path }) => host.files.list('kept', path)))).flat()
  expect(await kept()).toHaveLength(3)
  const before = iso(host.clock.now() + day)
  expect(await retainedChanges.prune(host, before, 2)).toBe(2)
  // The last change still needs what it replaced.
  expect(await kept()).toHaveLength(2)
  expect(await retainedChanges.prune(host, before, 2)).toBe(1)
  expect(await kept()).toEqual([])
  expect((await (await call(changes.changes, host, { params: params('End') })).json()).count).toBe(0)
  expect((await undo('End')).status).toBe(409)
})
