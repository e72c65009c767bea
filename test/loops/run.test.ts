import { expect, test } from 'vitest'
import * as control from '../../handlers/loops/control.ts'
import * as loops from '../../handlers/loops/loops.ts'
import type { Host } from '../../runtime/host.ts'
import { stopped } from '../projects/kit.ts'
import { call } from '../support/call.ts'
import { toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { act, loopHost, newLoop, notYet, ran, shown, writer } from './kit.ts'

const pendingApprovals = (host: Host) => host.sql.read("SELECT id FROM approvals WHERE status = 'pending'")

test('a loop works in iterations until the judge is satisfied', async () => {
  const { host, models } = await loopHost([notYet, notYet], writer())
  const loop = await ran(host, { success_criteria: ['There is tea'], constraints: 'No coffee' })
  expect(loop).toMatchObject({
    name: 'Brew tea',
    status: 'completed',
    stop_reason: 'complete',
    iteration: 3,
    last_verdict: { score: 100, complete: true },
  })
  expect(loop.iterations.map(({ index, status, verdict }) => [index, status, verdict?.complete])).toEqual([
    [1, 'finished', false],
    [2, 'finished', false],
    [3, 'finished', true],
  ])
  expect(loop.iterations[0]?.actions).toMatchObject([{ tool: 'files', is_error: false }])
  const prompt = JSON.stringify(models.calls.findLast(({ tools }) => tools.length > 1)?.messages)
  expect(prompt).toContain('more tea')
  expect(prompt).toContain('No coffee')
  expect(loop.tokens_used).toBeGreaterThan(0)

  const { runs } = await (await call(loops.runs, host, { params: { id: loop.id } })).json()
  expect(runs).toMatchObject([{ id: loop.run_id, status: 'completed', iteration: 3 }])
  const run = await (await call(loops.showRun, host, { params: { id: loop.id, run_id: runs[0].id } })).json()
  expect(run.iterations).toHaveLength(3)
})

test('a loop that does not reach its goal fails after max_iterations, and resumes when that is raised', async () => {
  const { host } = await loopHost([notYet, notYet], writer())
  const failed = await ran(host, { max_iterations: 2 })
  expect(failed).toMatchObject({ status: 'failed', stop_reason: 'max_iterations', iteration: 2 })
  expect((await act(host, failed.id, 'resume')).status).toBe(409)

  await call(loops.update, host, { params: { id: failed.id }, body: { max_iterations: 3 } })
  expect((await act(host, failed.id, 'resume')).status).toBe(200)
  await workOff(host)
  expect(await shown(host, failed.id)).toMatchObject({ status: 'completed', iteration: 3 })
})

test('a pause lets the current iteration finish, and steering reaches the next one', async () => {
  const { host, models } = await loopHost([notYet], writer())
  const { id } = await newLoop(host)
  await act(host, id, 'start')
  // The first iteration begins with the next tick.
  await host.process.running.settled()
  const paused = await (await act(host, id, 'pause')).json()
  expect(['running', 'paused']).toContain(paused.status)
  await workOff(host)
  const stopped = await shown(host, id)
  expect(stopped).toMatchObject({ status: 'paused', pausing: false })
  expect((await (await act(host, id, 'pause')).json()).status).toBe('paused')

  await call(control.steer, host, { params: { id }, body: { instruction: 'Use green tea' } })
  await act(host, id, 'resume')
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', steering: [] })
  expect(JSON.stringify(models.calls.at(-2)?.messages)).toContain('The owner says: Use green tea')
})

test('a stopped loop is cancelled and can be started again as a new run', async () => {
  const { host } = await loopHost([notYet], writer())
  const { id } = await newLoop(host, { interval_seconds: 3_600 })
  await act(host, id, 'start')
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'waiting', next_at: expect.any(String) })
  expect((await act(host, id, 'start')).status).toBe(409)
  expect(await (await act(host, id, 'stop')).json()).toMatchObject({
    status: 'cancelled',
    stop_reason: 'cancelled',
  })
  expect((await act(host, id, 'stop')).status).toBe(409)
  await act(host, id, 'start')
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', iteration: 1 })
  const { runs } = await (await call(loops.runs, host, { params: { id } })).json()
  expect(runs.map(({ status }: { status: string }) => status)).toEqual(['completed', 'cancelled'])
})

test('a question of the agent blocks the loop, and the answer continues it', async () => {
  const { host, models } = await loopHost([], ({ messages }) =>
    messages.some(({ content }) => JSON.stringify(content).includes('Oolong'))
      ? undefined
      : toolCall('ask_user', { question: 'Which tea?', options: ['Oolong', 'Assam'] }),
  )
  const blocked = await ran(host)
  expect(blocked).toMatchObject({
    status: 'blocked',
    stop_reason: 'blocked',
    question: { kind: 'question', question: 'Which tea?', options: ['Oolong', 'Assam'] },
  })
  const { id } = blocked
  await call(control.answer, host, { params: { id }, body: { answer: 'Oolong' } })
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', iteration: 2, question: null })
  expect(models.calls.length).toBeGreaterThan(2)
  const again = await call(control.answer, host, { params: { id }, body: { answer: 'Assam' } })
  expect(again.status).toBe(409)
})

test.each([
  ['pause', 'paused'],
  ['fail', 'failed'],
] as const)('with on_blocked %s a question leaves the loop %s', async (on_blocked, status) => {
  const { host } = await loopHost([], () => toolCall('ask_user', { question: 'Which tea?' }))
  expect(await ran(host, { on_blocked })).toMatchObject({
    status,
    stop_reason: 'blocked',
    error: 'Which tea?',
  })
})

test.each(['stop', 'delete'])('after %s a crash leaves no turn that waits for an approval', async (verb) => {
  const { host } = await loopHost([], () => toolCall('loop', { action: 'start', goal: 'More tea' }))
  const { id, status } = await ran(host)
  expect(status).toBe('waiting')
  const write = host.sql.write.bind(host.sql)
  let commits = 0
  // The daemon ends after the first commit.
  host.sql.write = async (statements) => {
    commits += 1
    if (commits > 1) throw new Error('The daemon has ended')
    return write(statements)
  }
  const stopping = verb === 'stop' ? act(host, id, 'stop') : call(loops.remove, host, { params: { id } })
  await stopping.catch(() => undefined)
  host.sql.write = write
  expect(await pendingApprovals(host)).toHaveLength(1)
  await workOff(host)
  expect(await pendingApprovals(host)).toEqual([])
})

test('what the owner said reaches an iteration that continues after an interruption', async () => {
  let runs = 0
  const { host, models } = await loopHost([], () => {
    runs += 1
    if (runs === 1) return toolCall('ask_user', { question: 'Which tea?' })
    return runs === 2 ? stopped(() => host) : undefined
  })
  const { id } = await ran(host)
  expect(await shown(host, id)).toMatchObject({ status: 'blocked' })
  await call(control.answer, host, { params: { id }, body: { answer: 'Green' } })
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', iteration: 2 })
  const notes = JSON.stringify(models.calls.findLast(({ tools }) => tools.length > 1)?.messages).split('Iteration 2 of')
  expect(notes).toHaveLength(2)
  expect(notes[1]).toContain('Which tea?) Green')
})
