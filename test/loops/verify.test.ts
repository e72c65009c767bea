import { expect, test } from 'vitest'
import * as control from '../../handlers/loops/control.ts'
import * as loops from '../../handlers/loops/loops.ts'
import * as templates from '../../handlers/loops/templates.ts'
import type { LoopTemplate } from '../../runtime/loops/schema.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { configure } from '../providers/kit.ts'
import { fakeSandbox, stdout } from '../sandbox/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { act, loopHost, newLoop, notYet, ran, shown, verdictStep, writer } from './kit.ts'

const prose = text('I think it is fine, well done!')

test('a judge that answers nonsense twice pauses the loop, and resuming judges the same iteration', async () => {
  const { host, models } = await loopHost([prose, prose], writer())
  const paused = await ran(host)
  expect(paused).toMatchObject({
    status: 'paused',
    stop_reason: 'judge_error',
    iteration: 1,
    last_verdict: null,
    error: expect.stringContaining('does not count as reached'),
  })
  expect(paused.iterations).toMatchObject([{ index: 1, status: 'verifying', verdict: null }])

  await act(host, paused.id, 'resume')
  await workOff(host)
  expect(await shown(host, paused.id)).toMatchObject({ status: 'completed', iteration: 1 })
  expect(models.calls.filter(({ tools }) => tools.length > 1)).toHaveLength(2)
})

test('prose of the judge is sent back once, and a verdict that contradicts itself is not accepted', async () => {
  const contradiction = verdictStep({ complete: true, score: 100, missing: ['more tea'] })
  const { host } = await loopHost([prose, notYet, contradiction, notYet], writer())
  expect(await ran(host)).toMatchObject({ status: 'completed', iteration: 3 })
})

test('a judge that cannot be reached is asked again, and two failures in a row pause the loop', async () => {
  const down = [new ModelError('internal_error', 'The vendor failed')]
  const { host } = await loopHost([down, notYet, down, down], writer())
  const { id } = await newLoop(host)
  await act(host, id, 'start')
  await workOff(host)
  for (let round = 0; round < 3; round += 1) {
    await host.clock.advance(10_000)
    await workOff(host)
  }
  expect(await shown(host, id)).toMatchObject({ status: 'paused', stop_reason: 'judge_error', iteration: 2 })
})

test('without a provider the owner is asked instead of a judge, and everything says so', async () => {
  const host = await testHost()
  const goal = 'Write the text "hello" to hello.txt'
  const made = await newLoop(host, { goal })
  expect(made).toMatchObject({ verification: { kind: 'judge' }, verified_by: 'human' })
  expect((await act(host, made.id, 'start')).status).toBe(202)
  await workOff(host)
  const asked = await shown(host, made.id)
  expect(asked).toMatchObject({ status: 'blocked', verified_by: 'human', question: { kind: 'verify' } })
  expect(asked.question?.question).toContain('No model is set up that could judge')
  await call(control.answer, host, { params: { id: made.id }, body: { answer: 'Accept' } })
  await workOff(host)
  expect(await shown(host, made.id)).toMatchObject({ status: 'completed' })
})

test('a judge judges as soon as there is a provider', async () => {
  const host = await testHost()
  const { id } = await newLoop(host)
  await configure(host, ['anthropic'])
  await act(host, id, 'start')
  expect(await shown(host, id)).toMatchObject({ verified_by: 'judge' })
})

const check = (code: string) => ({
  kind: 'command' as const,
  spec: { language: 'javascript' as const, code },
})

test('a JavaScript check reads the files, and says what is missing', async () => {
  const { host, models } = await loopHost([], writer())
  const code = `const count = Object.keys(input.files).length
    return { complete: count >= 2 && input.files['1.txt'] === 'tea 1', missing: ['another file'] }`
  const loop = await ran(host, { verification: check(code) })
  expect(loop).toMatchObject({ status: 'completed', iteration: 2, last_verdict: { score: 100 } })
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toContain('another file')
})

test('a check that fails twice in a row pauses the loop, before it spends more', async () => {
  const { host } = await loopHost([], writer())
  const loop = await ran(host, { verification: check('return files.length > 0') })
  expect(loop).toMatchObject({
    status: 'paused',
    stop_reason: 'judge_error',
    iteration: 2,
    error: 'The check failed: ReferenceError: files is not defined',
  })
})

test('a check may fail once, while a file is missing', async () => {
  const { host } = await loopHost([], writer())
  const loop = await ran(host, { verification: check("return input.files['2.txt'].length > 0") })
  expect(loop).toMatchObject({ status: 'completed', iteration: 2 })
})

test.each([
  ['return "done"', 'failed', 'max_iterations'],
  ['return {', 'paused', 'judge_error'],
])('the check %s never counts as reached', async (code, status, stop_reason) => {
  const { host } = await loopHost([], writer())
  const loop = await ran(host, { verification: check(code), max_iterations: 2 })
  expect(loop).toMatchObject({ status, stop_reason })
})

test('a shell command is refused where there is no sandbox', async () => {
  const host = await testHost()
  const verification = { kind: 'command', spec: { language: 'shell', code: 'npm test' } }
  const response = await call(loops.create, host, { body: { goal: 'x', verification } })
  expect(response.status).toBe(503)
  expect((await response.json()).message).toContain('JavaScript check')
})

test('a shell command reads copies of the files in a container of its own', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { host, models } = await loopHost([], writer(), { sandbox })
  const seen: string[][] = []
  engine.script = async function* ({ argv }) {
    const [id = ''] = engine.containers.keys()
    const files = await sandbox.files.list(id, '')
    seen.push(files.map(({ path }) => path))
    yield stdout(`${argv.at(-1)}: ${files.length} of 2`)
    yield { exit_code: files.length < 2 ? 1 : 0 }
  }
  const verification = { kind: 'command' as const, spec: { language: 'shell' as const, code: 'make test' } }
  const loop = await ran(host, { verification })

  expect(loop).toMatchObject({
    status: 'completed',
    iteration: 2,
    last_verdict: { evidence: 'make test: 2 of 2' },
  })
  expect(seen).toEqual([['1.txt'], ['1.txt', '2.txt']])
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toContain('The command exited with 1')
  expect([...engine.containers.keys()]).toEqual([])
})

test('an HTTP check passes the guard for outgoing requests', async () => {
  const host = await testHost()
  const goal = 'Append "tea" to log.txt'
  const verification = { kind: 'http' as const, spec: { url: 'http://169.254.169.254/' } }
  expect(await ran(host, { goal, verification })).toMatchObject({
    status: 'paused',
    stop_reason: 'judge_error',
  })
})

test('a person verifies, and what they miss reaches the next iteration', async () => {
  const host = await testHost()
  const goal = 'Append "tea" to log.txt'
  const loop = await ran(host, { goal, verification: { kind: 'human', spec: { question: 'Good?' } } })
  expect(loop).toMatchObject({ status: 'blocked', question: { kind: 'verify', question: 'Good?' } })
  const { id } = loop
  const answer = async (text: string) => {
    expect((await call(control.answer, host, { params: { id }, body: { answer: text } })).status).toBe(200)
    await workOff(host)
    return shown(host, id)
  }
  expect(await answer('Once more')).toMatchObject({
    status: 'blocked',
    iteration: 2,
    last_verdict: { complete: false, missing: ['Once more'] },
  })
  expect(await answer('accept')).toMatchObject({ status: 'completed', last_verdict: { complete: true } })
})

test('the check is asked about what the offline model only says', async () => {
  const host = await testHost()
  const reached = await ran(host, {
    goal: 'Calculate 6 * 7',
    verification: check('return input.report.includes("42")'),
  })
  expect(reached).toMatchObject({ status: 'completed', iteration: 1, error: null })
  const time = await ran(host, {
    goal: 'Tell the time',
    verification: check('return /\\d\\d:\\d\\d/.test(input.report)'),
  })
  expect(time).toMatchObject({ status: 'completed', iteration: 1 })
})

test('the offline model says what it cannot do', async () => {
  const host = await testHost()
  const failed = await ran(host, { goal: 'Compose a symphony', verification: check('return false') })
  expect(failed).toMatchObject({
    status: 'failed',
    stop_reason: 'error',
    iteration: 1,
    error: expect.stringContaining('the offline model used no tool'),
  })
})

test('templates become loops, and those for the offline model work without a provider', async () => {
  const host = await testHost()
  const listed = await (await call(templates.templates, host)).json()
  expect(listed.count).toBeGreaterThanOrEqual(6)
  for (const { id, inputs } of listed.templates as LoopTemplate[]) {
    const values = Object.fromEntries(inputs.map(({ name, example }) => [name, example]))
    const made = await call(templates.instantiate, host, { params: { template_id: id }, body: { values } })
    expect([id, made.status]).toEqual([id, 201])
  }
  const missing = await call(templates.instantiate, host, { params: { template_id: 'research' }, body: {} })
  expect(await missing.json()).toMatchObject({ status: 422, issues: [{ path: 'values.questions' }] })

  const values = { text: "It's tea", count: '2' }
  const made = await call(templates.instantiate, host, {
    params: { template_id: 'collect-lines' },
    body: { values },
  })
  const { id } = await made.json()
  await act(host, id, 'start')
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'waiting', iteration: 1 })
  await host.clock.advance(3_600_000)
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', iteration: 2 })
})

test('an agent that repeats itself is found, and the answer of the owner gives it another try', async () => {
  const read = toolCall('files', { action: 'list' })
  const { host } = await loopHost(Array(9).fill(notYet), ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? undefined : read,
  )
  const stuck = await ran(host)
  expect(stuck).toMatchObject({ status: 'blocked', stop_reason: 'stuck', iteration: 4 })
  expect(stuck.question).toMatchObject({ kind: 'stuck', question: expect.stringContaining('4 times') })
  const { id } = stuck
  await call(control.answer, host, { params: { id }, body: { answer: 'Try harder' } })
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'blocked', iteration: 8 })
  await call(control.answer, host, { params: { id }, body: { answer: 'Stop' } })
  expect(await shown(host, id)).toMatchObject({ status: 'cancelled' })
})
