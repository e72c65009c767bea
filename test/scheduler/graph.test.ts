import { expect, test } from 'vitest'
import { findCycle } from '../../runtime/graph.ts'
import { advance, rootsOf } from '../../runtime/scheduler/chain-graph.ts'
import type { EdgeType, StepStatus } from '../../runtime/scheduler/schema.ts'

/** `a>b` on success, `a!b` on failure, `a*b` always. */
function graph(text: string) {
  const types: Record<string, EdgeType> = { '>': 'on_success', '!': 'on_failure', '*': 'on_complete' }
  const edges = text.split(' ').map((edge) => {
    const [from = '', sign = '', to = ''] = edge
    return { from, to, type: types[sign] ?? 'on_success' }
  })
  const jobs = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  return { jobs, edges }
}

const after = (text: string, steps: Record<string, StepStatus>) => advance(graph(text), new Map(Object.entries(steps)))

test.each<[string, string, Record<string, StepStatus>, string[], string[], string | null]>([
  ['one behind the other', 'a>b', { a: 'succeeded' }, ['b'], [], null],
  ['not before the end', 'a>b', { a: 'running' }, [], [], null],
  ['the whole has ended', 'a>b', { a: 'succeeded', b: 'succeeded' }, [], [], 'succeeded'],
  ['success leads nowhere else', 'a>b a!c', { a: 'succeeded' }, ['b'], ['c'], null],
  ['failure', 'a>b a!c', { a: 'timed_out' }, ['c'], ['b'], null],
  ['a failure that was taken up', 'a>b a!c', { a: 'lost', b: 'left_out', c: 'succeeded' }, [], [], 'succeeded'],
  ['a failure that nobody took up', 'a>b', { a: 'failed' }, [], ['b'], 'failed'],
  ['always, also behind a skipped one', 'a*b', { a: 'skipped' }, ['b'], [], null],
  ['a skipped one is no success', 'a>b', { a: 'skipped' }, [], ['b'], 'succeeded'],
  ['a cancelled one is no failure', 'a>b a!c', { a: 'cancelled' }, [], ['b', 'c'], 'cancelled'],
  ['a join waits for all', 'a>c b>c', { a: 'succeeded', b: 'running' }, [], [], null],
  ['a join begins when one leads on', 'a>c b>c', { a: 'succeeded', b: 'failed' }, ['c'], [], null],
  ['a join that none leads to', 'a>c b>c', { a: 'failed', b: 'failed' }, [], ['c'], 'failed'],
  ['what was left out leads nowhere', 'a>b b*c c*d', { a: 'failed' }, [], ['b', 'c', 'd'], 'failed'],
  ['a way around', 'a>b a!c b>d c>d', { a: 'failed', b: 'left_out', c: 'succeeded' }, ['d'], [], null],
  ['two ways at once', 'a>b a>c', { a: 'succeeded' }, ['b', 'c'], [], null],
  ['another beginning that has not begun', 'a>c b>c', { a: 'succeeded' }, ['c'], ['b'], null],
])('%s', (_, text, steps, start, leave_out, end) => {
  const next = after(text, steps)
  expect({ ...next, leave_out: next.leave_out.toSorted() }).toEqual({ start, leave_out, end })
})

test('starts where no edge leads to', () => {
  expect(rootsOf(graph('a>b c>b b>d'))).toEqual(['a', 'c'])
})

test.each([
  ['a>b b>c', null],
  ['a>a', ['a']],
  ['a>b b!a', ['a', 'b']],
  ['a>b b>c c*b', ['b', 'c']],
  ['a>b a>c b>d c>d', null],
])('the cycle of %s', (text, cycle) => {
  const { jobs, edges } = graph(text)
  expect(findCycle(jobs, edges)).toEqual(cycle)
})

test('a long chain with many paths costs little', () => {
  const jobs = Array.from({ length: 200 }, (_, index) => `job${index}`)
  const edges = jobs.slice(0, -10).flatMap((from, index) =>
    Array.from({ length: 10 }, (_, step) => ({
      from,
      to: jobs[index + step + 1] ?? '',
      type: 'on_success' as const,
    })),
  )
  expect(findCycle(jobs, edges)).toBeNull()
  expect(findCycle(jobs, [...edges, { from: 'job199', to: 'job0' }])).not.toBeNull()
})
