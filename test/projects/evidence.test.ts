import { expect, test } from 'vitest'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { missingIn } from '../../runtime/projects/check-result.ts'
import { Strategy } from '../../runtime/projects/schema.ts'
import { text, toolCall } from '../support/models.ts'
import { approved, plannedProject, planStep, projectHost, taskNamed, wants } from './kit.ts'

const title = 'Write a guide to tea to tea.md'
const plan = planStep({ a: { title, acceptance: ['tea.md names green tea'] } })

/** What reached the reviewer. */
const reviewsIn = (calls: readonly ModelCall[]): string[] =>
  calls.filter((call) => wants(call, 'submit_verdict')).map(({ messages }) => JSON.stringify(messages))

type Agent = (call: ModelCall) => ReturnType<typeof text>

const isAfterCall = ({ messages }: ModelCall) => messages.at(-1)?.role === 'tool'

const careful: Agent = (call) =>
  isAfterCall(call)
    ? text('I wrote tea.md.')
    : toolCall('files', { action: 'write', path: 'tea.md', content: 'Green tea is steamed.' })
const lazy: Agent = () => text('I wrote the guide to tea.md. It is complete.')
const failing: Agent = (call) =>
  isAfterCall(call)
    ? text('The guide is finished.')
    : toolCall('files', { action: 'write', path: '../../tea.md', content: 'Green tea is steamed.' })
const idle: Agent = () => text('Done.')

async function worked(strategy: Strategy, agent: Agent, step = plan) {
  const { host, models } = await projectHost(step, (call) => {
    if (wants(call, 'submit_audit')) return toolCall('submit_audit', { score: 90, findings: [] })
    if (!wants(call, 'submit_verdict')) return agent(call)
    const met = JSON.stringify(call.messages).includes('Green tea is steamed.')
    return toolCall('submit_verdict', { met, missing: met ? '' : 'The guide' })
  })
  const planned = await plannedProject(host, { strategy })
  return { project: await approved(host, planned.id), calls: models.calls }
}

test.each(Strategy.options)(
  '%s: a careful agent completes a task, and the reviewer reads the file',
  async (strategy) => {
    const { project, calls } = await worked(strategy, careful)
    expect(project.status).toBe('completed')
    for (const review of reviewsIn(calls)) expect(review).toContain('Green tea is steamed.')
  },
)

test.each(Strategy.options)('%s: an agent that only says so completes nothing', async (strategy) => {
  const { project } = await worked(strategy, lazy)
  expect(project.status).toBe('failed')
  expect(taskNamed(project, title)).toMatchObject({
    status: 'failed',
    attempts: 3,
    error: 'tea.md was not written: no call has changed anything',
  })
})

test.each(Strategy.options)('%s: an agent whose only write failed completes nothing', async (strategy) => {
  const { project } = await worked(strategy, failing)
  const { status, error } = taskNamed(project, title)
  expect(status).toBe('failed')
  expect(error).toContain('Nothing was changed, because this failed')
})

test.each(Strategy.options)('%s: "Done." is no result, and an analysis is one', async (strategy) => {
  const analysis = planStep({ a: { title: 'Compare green and black tea' } })
  expect((await worked(strategy, idle, analysis)).project.status).toBe('failed')
  const said: Agent = () => text('Green tea is steamed, black tea is oxidised; green tea has less caffeine.')
  expect((await worked(strategy, said, analysis)).project.status).toBe('completed')
})

test('the reviewer reads a failed call as failed, with its error, and no file', async () => {
  const { calls } = await worked('balanced', (call) => {
    const results = call.messages.filter(({ role }) => role === 'tool').length
    if (results === 0) return toolCall('files', { action: 'read', path: 'water.md' })
    if (results === 1)
      return toolCall('files', { action: 'write', path: 'tea.md', content: 'Water' }, 'call_2')
    return text('I wrote tea.md.')
  })
  const [review = ''] = reviewsIn(calls)
  expect(review).toContain('(failed): ')
  expect(review).toContain('Water')
  expect(review).not.toContain('(done)')
})

const call = (is_error: boolean, changes = true) => ({
  ...{ tool: 'files', input: {}, summary: 'Write a.md', output: '', result: 'no room' },
  ...{ is_error, changes },
})

test.each([
  [
    'a failed edit before a good write',
    'Write a.md',
    'I wrote a.md.',
    [call(true), call(false)],
    ['a.md'],
    null,
  ],
  ['an empty file', 'Write a.md', 'I wrote a.md.', [call(false)], [], 'The file a.md does not exist'],
  ['a file in a folder', 'Write a.md', 'Written.', [call(false)], ['out/a.md'], null],
  ['a file that is read', 'Summarise data.csv', 'It has three rows of tea.', [call(false, false)], [], null],
  ['a file that is a source', 'Write a summary based on data.csv', 'It has three rows.', [], [], null],
  ['a name of a site', 'Write about example.com', 'It is an example.', [], [], null],
  [
    'a claim in the passive',
    'Report',
    'notes.md has been created',
    [],
    ['notes.md'],
    'notes.md was not written: no call has changed anything',
  ],
  [
    'nothing at all',
    'Think',
    '',
    [],
    [],
    'Nothing was done: no call succeeded, and the report contains no result',
  ],
  [
    'words only',
    'Think',
    'The task is now complete!',
    [],
    [],
    'Nothing was done: no call succeeded, and the report contains no result',
  ],
  ['a number', 'What is 6 * 7?', '42', [], [], null],
])('%s', (_, request, report, calls, files, missing) => {
  const sizes = new Map(files.map((path) => [path, 10] as const))
  expect(missingIn({ request, report, calls, files: sizes })).toBe(missing)
})
