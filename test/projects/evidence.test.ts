import { expect, test } from 'vitest'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { missingIn } from '../../runtime/projects/check-result.ts'
import { Strategy } from '../../runtime/projects/schema.ts'
import { text, toolCall } from '../support/models.ts'
import { approved, plannedProject, planStep, projectHost, wants } from './kit.ts'

const title = 'Write a guide to tea to tea.md'
const plan = planStep({ a: { title, acceptance: ['tea.md names green tea'] } })

/** What reached the reviewer. */
const reviewsIn = (calls: readonly ModelCall[]): string[] =>
  calls.filter((call) => wants(call, 'submit_verdict')).map(({ messages }) => JSON.stringify(messages))

type Agent = (call: ModelCall) => ReturnType<typeof text>

const idle: Agent = () => text('Done.')

async function worked(strategy: Strategy, agent: Agent, step = plan) {
  const { host, models } = await projectHost(step, (call) => {
    if (wants(call, 'submit_audit')) return toolCall('submit_audit', { score: 90, findings: [] })
    if (!wants(call, 'submit_verdict')) return agent(call)
    const met = /Green tea is steamed[.,]/.test(JSON.stringify(call.messages))
    return toolCall('submit_verdict', { met, missing: met ? '' : 'The guide' })
  })
  const planned = await plannedProject(host, { strategy })
  return { project: await approved(host, planned.id), calls: models.calls }
}

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
    if (results === 1) return toolCall('files', { action: 'write', path: 'tea.md', content: 'Water' }, 'call_2')
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
  ['a failed edit before a good write', 'Write a.md', 'I wrote a.md.', [call(true), call(false)], ['a.md'], null],
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
  ['nothing at all', 'Think', '', [], [], 'Nothing was done: no call succeeded, and the report contains no result'],
  [
    'words only',
    'Think',
    'The task is now complete!',
    [],
    [],
    'Nothing was done: no call succeeded, and the report contains no result',
  ],
  [
    'words of the request, at any length',
    'Write a guide to tea',
    'The guide to tea is finished. '.repeat(60),
    [],
    [],
    'Nothing was done: no call succeeded, and the report contains no result',
  ],
  [
    'words about the request',
    'Compare teas',
    'I have completed the task as requested; all criteria are met.',
    [],
    [],
    'Nothing was done: no call succeeded, and the report contains no result',
  ],
  [
    'a look at something, and words only',
    'Compare teas',
    'Done.',
    [call(false, false)],
    [],
    'Nothing was done: no call has changed anything, and the report contains no result',
  ],
  ['a number', 'What is 6 * 7?', '42', [], [], null],
  ['an answer in words of the request', 'Which is older, tea or coffee?', 'Tea is older.', [], [], null],
])('%s', (_, request, report, calls, files, missing) => {
  const sizes = new Map(files.map((path) => [path, 10] as const))
  expect(missingIn({ request, report, calls, files: sizes })).toBe(missing)
})
