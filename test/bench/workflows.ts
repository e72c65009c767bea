import { setTimeout as sleep } from 'node:timers/promises'
import { evaluateJsonata } from '../../runtime/jsonata.ts'
import { drawn } from '../workflows/kit.ts'
import { type Figures, measureNodeRed } from './node-red.ts'
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

/** 100 executions of 20 nodes at once and a loop of 10,000 items, beside Node-RED's, and the rate of expressions. */
export async function run(): Promise<Row[]> {
  const daemon = await startDaemonProcess()
  const key = await setUp(daemon.url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await fetch(daemon.url + path, init)).json() as Promise<Answer>
  }
  const begin = async (id: string) =>
    (await send<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`, { input: { n: 0 } })).execution_id
  const created = async (body: unknown) => (await send<{ id: string }>('POST', '/api/workflows', body)).id
  const open = async (id: string) =>
    (
      await send<{ executions: { completed_at: string | null }[] }>('GET', `/api/workflows/${id}/executions?limit=200`)
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
  const load = { executions, length, items }
  return [
    ...compared(
      load,
      { chain: seconds, loop: looping, memory: [before, together, looped] },
      await measureNodeRed(load),
    ),
    await rate('input.n + 1'),
    await rate('input.total > 100 and input.kind = "a"'),
    await rate('"Hello " & input.name'),
  ]
}

/** Both sets of figures; hearthd stores the result of each node, Node-RED keeps messages in memory. */
function compared(
  load: { executions: number; length: number; items: number },
  own: Figures,
  other: Figures | null,
): Row[] {
  const nodes = load.executions * load.length
  const row = (what: string, unit: string, of: (figures: Figures) => number, note: string): Row => ({
    ...{ what, unit, value: of(own), note },
    ...(other ? { baseline: of(other) } : {}),
  })
  const chain = `${load.executions} executions of ${load.length}`
  const [before] = own.memory
  const start = `before ${before.toFixed(0)} MB${other ? `, Node-RED ${other.memory[0].toFixed(0)} MB` : ''}`
  return [
    row(`nodes per second, ${chain}`, '/s', (one) => nodes / one.chain, `${own.chain.toFixed(2)} s`),
    row('time of each node there', 'ms', (one) => (one.chain * 1000) / nodes, 'each result is stored'),
    row(`items per second, a loop of ${load.items}`, '/s', (one) => load.items / one.loop, `${own.loop.toFixed(1)} s`),
    row(`peak memory, ${chain}`, 'MB', (one) => one.memory[1], start),
    row(`peak memory, a loop of ${load.items}`, 'MB', (one) => one.memory[2], start),
  ]
}

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
  const cpu = process.cpuUsage()
  for (let count = 0; count < evaluations; count += 1) await evaluateJsonata(expression, data)
  const seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return {
    what: `evaluations of ${expression}`,
    value: evaluations / seconds,
    unit: '/s',
    // What a quiet machine reaches at least.
    note: `${Math.round((evaluations * 1_000_000) / (user + system))} per second of processor time`,
  }
}
