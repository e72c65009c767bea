import { expect, test } from 'vitest'
import * as conversations from '../../handlers/chat/conversations.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import { projectHost } from '../projects/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, nodeRun, ran, started } from './kit.ts'

test('nodes run one after the other, and each sees what came before', async () => {
  const host = await testHost()
  const done = await ran(
    host,
    drawn(
      {
        start: { type: 'trigger.manual' },
        price: {
          type: 'set',
          params: { values: { total: '=input.count * 2', text: 'for {{ input.name }}' } },
        },
        big: { type: 'condition', params: { expression: 'input.total > 5' } },
        yes: { type: 'set', params: { values: { first: '=nodes.price.output.text' }, keep_input: false } },
        no: { type: 'set', params: { values: { small: true } } },
      },
      ['start → price', 'price → big', 'big:true → yes', 'big:false → no'],
    ),
    { input: { count: 3, name: 'Ada' } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { first: 'for Ada' }, error: null })
  expect(done.node_runs.map(({ node_id, status }) => [node_id, status])).toEqual([
    ['start', 'succeeded'],
    ['price', 'succeeded'],
    ['big', 'succeeded'],
    ['yes', 'succeeded'],
  ])
  expect(await nodeRun(host, done, 2)).toMatchObject({ input: { count: 3 }, output: { total: 6 } })
  expect(host.events.filter((type) => type.startsWith('workflow.run'))).toEqual([
    'workflow.run.started',
    'workflow.run.finished',
  ])
})

test('a loop runs its body once for each item and collects what comes back', async () => {
  const done = await ran(
    await testHost(),
    drawn(
      {
        start: { type: 'trigger.manual' },
        each: { type: 'loop', params: { items: '=input.rows' } },
        double: { type: 'set', params: { values: { n: '=item * 2', at: '=index' }, keep_input: false } },
        sum: { type: 'set', params: { values: { sum: '=$sum(input.items.n)' } } },
      },
      ['start → each', 'each:loop → double', 'double → each', 'each:done → sum'],
    ),
    { input: { rows: [1, 2, 3] } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { count: 3, sum: 12 } })
  expect(done.output).toMatchObject({
    items: [
      { n: 2, at: 0 },
      { n: 4, at: 1 },
      { n: 6, at: 2 },
    ],
  })
})

test('a loop over a value that is missing has no items, and one without a list takes its input', async () => {
  const over = async (params: object, input: unknown) => {
    const graph = drawn({ start: { type: 'trigger.manual' }, each: { type: 'loop', params } }, [
      'start → each',
      'each:loop → each',
    ])
    return (await ran(await testHost(), graph, { input })).output
  }
  expect(await over({ items: '=input.rows' }, {})).toEqual({ count: 0, items: [] })
  expect(await over({}, [1, 2])).toMatchObject({ count: 2 })
})

test('code runs in the sandbox', async () => {
  const done = await ran(
    await testHost(),
    drawn({ start: { type: 'trigger.manual' }, code: { type: 'code', params: { code: 'return input.a + 1' } } }, [
      'start → code',
    ]),
    { input: { a: 1 } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: 2 })
})

test('a delay waits without a process, and continues when its time has come', async () => {
  const host = await testHost()
  const workflow = drawn(
    {
      start: { type: 'trigger.manual' },
      wait: { type: 'delay', params: { seconds: 3600 } },
      end: { type: 'set', params: { values: { done: true } } },
    },
    ['start → wait', 'wait → end'],
  )
  const waiting = await ran(host, workflow)
  expect(waiting).toMatchObject({ status: 'waiting', waiting_for: [{ node_id: 'wait', kind: 'delay' }] })
  expect(host.process.running.count()).toBe(0)

  await host.clock.advance(3_600_000)
  await workOff(host)
  expect(await execution(host, waiting.id)).toMatchObject({ status: 'succeeded', output: { done: true } })
})

test('an approval waits for its owner, and of two answers one counts', async () => {
  const host = await testHost()
  const workflow = drawn(
    {
      start: { type: 'trigger.manual' },
      ask: { type: 'approval', params: { message: 'Send {{ input.text }}?' } },
      yes: { type: 'set', params: { values: { sent: true }, keep_input: false } },
      no: { type: 'set', params: { values: { sent: false }, keep_input: false } },
    },
    ['start → ask', 'ask:true → yes', 'ask:false → no'],
  )
  const waiting = await ran(host, workflow, { input: { text: 'it' } })
  const [wait] = waiting.waiting_for
  expect(wait).toMatchObject({ kind: 'approval', message: 'Send it?', options: ['Approve', 'Reject'] })
  const params = { id: waiting.id }
  const answers = ['Approve', 'Reject'].map((choice) =>
    call(executions.answer, host, { params, body: { token: wait?.token, choice } }),
  )
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses).toEqual([200, 409])
  await workOff(host)
  expect((await execution(host, waiting.id)).output).toEqual({ sent: true })
})

test('a merge waits for the branches that were taken, and for no other', async () => {
  const done = await ran(
    await testHost(),
    drawn(
      {
        start: { type: 'trigger.manual' },
        all: { type: 'parallel' },
        a: { type: 'set', params: { values: { a: 1 }, keep_input: false } },
        b: { type: 'condition', params: { expression: 'false' } },
        c: { type: 'set', params: { values: { c: 1 } } },
        d: { type: 'delay', params: { seconds: 0 } },
        join: { type: 'merge' },
      },
      ['start → all', 'all → a,b,d', 'a → join', 'b:true → c', 'c → join', 'd → join'],
    ),
    { input: { x: 1 } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { a: { a: 1 }, d: { x: 1 } } })
})

test('a failed node stops, continues or goes to its error output, after its retries', async () => {
  const fail = { type: 'code', params: { code: 'throw new Error("no")' } }
  const host = await testHost()
  const run = (node: object, arrows: string[]) =>
    ran(
      host,
      drawn(
        {
          start: { type: 'trigger.manual' },
          bad: { ...fail, ...node },
          ok: { type: 'set', params: { values: { ok: true } } },
          rescue: { type: 'set', params: { values: { why: '=input.error.code' }, keep_input: false } },
        },
        ['start → bad', ...arrows],
      ),
    )
  const stopped = await run({ retry: { max_attempts: 2, delay_seconds: 0 } }, ['bad → ok'])
  expect(stopped).toMatchObject({ status: 'failed', error: { node_id: 'bad', code: 'exception' } })
  expect(await nodeRun(host, stopped, 2)).toMatchObject({ attempt: 2, status: 'failed', input: {} })
  expect((await run({ on_error: 'continue' }, ['bad → ok'])).output).toEqual({ ok: true })
  const rescued = await run({ on_error: 'error_output' }, ['bad → ok', 'bad:error → rescue'])
  expect(rescued).toMatchObject({ status: 'succeeded', output: { why: 'exception' } })
})

test('a sub-workflow returns its output, and its failure is that of the node', async () => {
  const host = await testHost()
  const child = await created(
    host,
    drawn({ start: { type: 'trigger.manual' }, code: { type: 'code', params: { code: 'return input.n / 2' } } }, [
      'start → code',
    ]),
  )
  const parent = drawn(
    { start: { type: 'trigger.manual' }, sub: { type: 'sub_workflow', params: { workflow_id: child.id } } },
    ['start → sub'],
  )
  expect((await ran(host, parent, { input: { n: 8 } })).output).toBe(4)
})

test('an agent works on its task and the workflow waits for it', async () => {
  const { host } = await projectHost([], (_, asked) => text(`Answer to ${asked}`))
  const done = await ran(
    host,
    drawn(
      {
        start: { type: 'trigger.manual' },
        ask: { type: 'agent', params: { prompt: 'Name {{ input.what }}' } },
      },
      ['start → ask'],
    ),
    { input: { what: 'teas' } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { text: 'Answer to Name teas' } })
})

test('runs with the same session continue one conversation with the agent', async () => {
  const { host, models } = await projectHost([], (_, asked) => text(`Answer to ${asked}`))
  const ask = { type: 'agent', params: { prompt: '{{ input.say }}', session: '{{ input.who }}' } }
  const { id } = await created(host, drawn({ start: { type: 'trigger.manual' }, ask }, ['start → ask']))
  const said = async (input: object) => {
    const run = await started(host, id, { input })
    await workOff(host)
    const { output } = await execution(host, run)
    return { output: output as { conversation_id: string }, asked: JSON.stringify(models.calls.at(-1)?.messages) }
  }
  const first = await said({ who: 'ada', say: 'One' })
  const other = await said({ who: 'bob', say: 'Two' })
  const second = await said({ who: 'ada', say: 'Three' })
  expect(second.output.conversation_id).toBe(first.output.conversation_id)
  expect(second.asked).toMatch(/One.*Answer to One.*Three/)
  expect(second.asked).not.toContain('Two')
  expect(other.output.conversation_id).not.toBe(first.output.conversation_id)
  // Without a session, and after the conversation was deleted, there is a new one.
  const blank = await said({ who: '', say: 'Four' })
  expect((await said({ who: '', say: 'Five' })).output.conversation_id).not.toBe(blank.output.conversation_id)
  const { conversation_id } = first.output
  expect((await call(conversations.remove, host, { params: { id: conversation_id } })).status).toBe(200)
  expect((await said({ who: 'ada', say: 'Six' })).output.conversation_id).not.toBe(conversation_id)
})

test.each([
  [
    { type: 'llm', params: { prompt: 'Hi', text_field: 'message.content' } },
    { message: { content: 'Hello' } },
    'Hello',
  ],
  [{ type: 'agent', params: { prompt: 'Hi', text_field: 'output' } }, { output: 'Hello' }, 'Hello'],
  [{ type: 'agent', params: { prompt: 'Hi', schema: { type: 'object' } } }, { a: 1 }, 'Here: {"a": 1}'],
])('the answer of %j is where the node says', async (ask, output, answer) => {
  const { host, models } = await projectHost([], () => text(answer))
  const done = await ran(host, drawn({ start: { type: 'trigger.manual' }, ask }, ['start → ask']))
  expect(done).toMatchObject({ status: 'succeeded', output })
  const isAsked = JSON.stringify(models.calls.at(-1)?.messages).includes('nothing else')
  expect(isAsked).toBe('schema' in ask.params)
})

test('an agent that does not answer as its schema says fails', async () => {
  const { host } = await projectHost([], () => text('Here you are'))
  const ask = { type: 'agent', params: { prompt: 'Hi', schema: { type: 'object' } } }
  expect(await ran(host, drawn({ start: { type: 'trigger.manual' }, ask }, ['start → ask']))).toMatchObject({
    status: 'failed',
    error: { node_id: 'ask', code: 'unusable_answer' },
  })
})

test.each([
  ['Help', 'case:1', { text: 'How?', kind: 'Help' }],
  ['none of them', 'main', { text: 'How?', kind: null }],
])('a text that a model puts into %s continues at %s', async (category, to, output) => {
  const { host } = await projectHost([], () => toolCall('submit_answer', { category }))
  const params = { text: '{{ input.text }}', cases: [{ name: 'Sales' }, { name: 'Help' }], into: 'kind' }
  const sort = { type: 'classify', params }
  const done = await ran(host, drawn({ start: { type: 'trigger.manual' }, sort }, ['start → sort']), {
    input: { text: 'How?' },
  })
  expect(done).toMatchObject({ status: 'succeeded', output })
  expect(done.node_runs.at(-1)?.output_name).toBe(to)
})
