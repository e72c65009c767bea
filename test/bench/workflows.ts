import { setTimeout as sleep } from 'node:timers/promises'
import { evaluateJsonata } from '../../runtime/jsonata.ts'
import { drawn } from '../workflows/kit.ts'
import { peakMb, remove, setUp, startDaemonProcess } from './processes.ts'
import type { Row } from './table.ts'

const executions = 100
const length = 20
const items = 10_000
const evaluations = 200_000

const set = { type: 'set', params: { values: { n: '=input.n + 1' } } }

/** A chain of nodes that each evaluate one expression. */
const chain = drawn(
  {
    n0: { type: 'trigger.manual' },
    ...Object.fromEntries(Array.from({ length: length - 1 }, (_, index) => [`n${index + 1}`, set])),
  },
  Array.from({ length: length - 1 }, (_, index) => `n${index} → n${index + 1}`),
  { settings: { mode: 'parallel', max_concurrent: executions } },
)

const loop = drawn(
  {
    start: { type: 'trigger.manual' },
    each: { type: 'loop', params: { items } },
    one: { type: 'set', params: { values: { n: '=item * 2' }, keep_input: false } },
  },
  ['start → each', 'each:loop → one', 'one → each'],
)

/** 100 executions of 20 nodes at once, a loop of 10,000 items, and the rate of expressions. */
export async function run(): Promise<Row[]> {
  const daemon = await startDaemonProcess()
  const key = await setUp(daemon.url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await fetch(daemon.url + path, init)).json() as Promise<Answer>
  }
  const begin = async (id: string) =>
    (await send<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`, { input: { n: 0 } }))
      .execution_id
  const created = async (body: unknown) => (await send<{ id: string }>('POST', '/api/workflows', body)).id
  const open = async (id: string) =>
    (
      await send<{ executions: { completed_at: string | null }[] }>(
        'GET',
        `/api/workflows/${id}/executions?limit=200`,
      )
    ).executions.filter(({ completed_at }) => completed_at === null).length
  const timed = async (id: string, count: number): Promise<number> => {
    const begun = performance.now()
    await Promise.all(Array.from({ length: count }, () => begin(id)))
    while ((await open(id)) > 0) await sleep(50)
    return (performance.now() - begun) / 1000
  }
  const chained = await created(chain)
  await timed(chained, 5)
  const before = peakMb(daemon.process)
  const seconds = await timed(chained, executions)
  const together = peakMb(daemon.process)
  const looping = await timed(await created(loop), 1)
  const looped = peakMb(daemon.process)
  await daemon.end()
  remove(daemon.folder)
  return [
    {
      what: `nodes per second, ${executions} executions of ${length}`,
      value: (executions * length) / seconds,
      unit: '/s',
    },
    {
      what: `items per second, a loop of ${items}`,
      value: items / looping,
      unit: '/s',
      note: `${looping.toFixed(1)} s`,
    },
    memory(`peak memory, ${executions} executions of ${length}`, together, before),
    memory(`peak memory, a loop of ${items}`, looped, before),
    await rate('input.n + 1'),
    await rate('input.total > 100 and input.kind = "a"'),
    await rate('"Hello " & input.name'),
  ]
}

const memory = (what: string, value: number, before: number): Row => ({
  what,
  value,
  unit: 'MB',
  note: `before ${before.toFixed(0)} MB`,
})

async function rate(expression: string): Promise<Row> {
  const data = {
    input: { n: 1, total: 200, kind: 'a', name: 'Ada' },
    nodes: {},
    vars: {},
    item: null,
    now: '',
  }
  for (let count = 0; count < 20_000; count += 1) await evaluateJsonata(expression, data)
  const begun = performance.now()
  for (let count = 0; count < evaluations; count += 1) await evaluateJsonata(expression, data)
  return {
    what: `evaluations of ${expression}`,
    value: evaluations / ((performance.now() - begun) / 1000),
    unit: '/s',
  }
}
