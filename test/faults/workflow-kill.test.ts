import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionDetails, Workflow } from '../../runtime/workflows/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { drawn } from '../workflows/kit.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS. */
const kills = Number(process.env.KILLS ?? 4)
const seed = Number(process.env.SEED ?? 20261123)
const items = 150

const lines = { type: 'code', params: { code: `return [...Array(${items}).keys()]` } }
const append = (content: string, rest: object = {}) => ({
  ...{ type: 'file', params: { action: 'append', path: '{{ vars.file }}', content } },
  ...rest,
})
const start = { type: 'trigger.manual' }
const read = { type: 'file', input_mode: 'list', params: { action: 'read', path: '{{ vars.file }}' } }

/** Append one line for each item; what else runs only computes, in commits that kills cut. With the lines of one effect. */
const drawings = {
  'a loop': [
    1,
    drawn(
      {
        ...{ start, read, append: append('{{ input.line }}\n') },
        each: { type: 'loop', params: { items } },
        inner: { type: 'loop', params: { items: 20 } },
        one: { type: 'set', params: { values: { n: '=item + 1' }, keep_input: false } },
        sum: { type: 'set', params: { values: { sum: '=$sum(input.items.n)', at: '=item' }, keep_input: false } },
        number: { type: 'code', params: { code: 'return { line: input.sum === 210 ? input.at : "wrong" }' } },
        back: { type: 'set', params: { values: { at: '=item' }, keep_input: false } },
      },
      [
        ...['start → each', 'each:loop → inner', 'inner:loop → one', 'one → inner', 'inner:done → sum', 'sum → number'],
        ...['number → append', 'append → back', 'back → each', 'each:done → read'],
      ],
    ),
  ],
  batches: [
    10,
    drawn(
      {
        ...{ start, lines, read, append: append("{{ $join($map(input, $string), '\n') }}\n", { input_mode: 'list' }) },
        each: { type: 'loop', params: { items: '=input', batch_size: 10 } },
      },
      ['start → lines', 'lines → each', 'each:loop → append', 'append → each', 'each:done → read'],
    ),
  ],
  'a node for each item': [
    1,
    drawn({ start, lines, read, append: append('{{ input }}\n', { input_mode: 'item' }) }, [
      'start → lines',
      'lines → append',
      'append → read',
    ]),
  ],
} as const

let service: Service

beforeAll(async () => {
  service = await Service.start()
})

afterAll(() => service.kill())

const shown = (id: string) => service.read<ExecutionDetails>('GET', `/api/workflows/executions/${id}`)

const finishedIn = ({ node_runs }: ExecutionDetails) =>
  node_runs
    .filter(
      ({ node_id, iteration, status }) => status === 'succeeded' && node_id === 'append' && (iteration ?? 0) < 100,
    )
    .map(({ seq, completed_at }) => ({ seq, completed_at }))

async function begun(drawing: object, run: string): Promise<string> {
  const body = { ...drawing, variables: { file: `lines ${run}.txt` } }
  const { id } = await service.read<Workflow>('POST', '/api/workflows', body)
  const { execution_id } = await service.read<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`)
  return execution_id
}

/** A person leaves out what may have happened already. Only nodes with an effect may ask. */
async function skipRepeats(execution: ExecutionDetails): Promise<void> {
  for (const { token, node_id, kind } of execution.waiting_for) {
    expect([node_id, kind]).toEqual(['append', 'repeat'])
    await service.read('POST', `/api/workflows/executions/${execution.id}/answer`, { token, choice: 'Skip' })
  }
}

test.each(Object.entries(drawings))(
  `%s survives ${kills} kills: stored results stay, and nothing is done twice`,
  async (name, [size, drawing]) => {
    const random = seeded(seed)
    const begin = [await begun(drawing, `${name} 0`)]
    for (let kill = 0; kill < kills; kill += 1) {
      const id = begin.at(-1) ?? ''
      await sleep(random() * 400)
      const before = await shown(id)
      await service.kill()
      await service.restart()
      const after = await shown(id)
      expect(finishedIn(after)).toEqual(expect.arrayContaining(finishedIn(before)))
      if (after.completed_at !== null) begin.push(await begun(drawing, `${name} ${kill + 1}`))
      else
        await eventually(async () => {
          const now = await shown(id)
          if (now.status === 'waiting') await skipRepeats(now)
          return now.status === 'running' || now.completed_at !== null
        })
    }
    for (const id of begin) {
      const done = await eventually(async () => {
        const now = await shown(id)
        if (now.status === 'waiting') await skipRepeats(now)
        return now.completed_at !== null && now
      })
      expect(done).toMatchObject({ status: 'succeeded', error: null })
      const lines = (done.output as { text: string }).text.trim().split('\n').map(Number)
      // Each line at most once and in order; at most what one effect appends is missing for each kill.
      expect(lines).toEqual([...new Set(lines)].sort((left, right) => left - right))
      expect(lines.length).toBeGreaterThanOrEqual(items - kills * size)
    }
  },
)

test('a kill ends the wait of a webhook’s caller, and its execution continues up to the respond node', async () => {
  const nodes = {
    go: { type: 'trigger.webhook', params: { response: 'respond_node' } },
    rest: { type: 'delay', params: { seconds: 2 } },
    answer: { type: 'respond' },
  }
  const body = drawn(nodes, ['go → rest', 'rest → answer'])
  const { id } = await service.read<Workflow>('POST', '/api/workflows', body)
  await service.read('POST', `/api/workflows/${id}/activate`)
  const { triggers } = await service.read<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
  const cut = expect(service.send('POST', triggers[0]?.path ?? '', { a: 1 })).rejects.toThrow()
  const latest = async () => {
    const list = `/api/workflows/${id}/executions`
    const { executions } = await service.read<{ executions: { id: string; status: string }[] }>('GET', list)
    return executions[0]
  }
  await eventually(async () => (await latest())?.status === 'waiting')
  await service.kill()
  await cut
  await service.restart()
  const done = await eventually(async () => {
    const one = await latest()
    return one?.status === 'succeeded' && shown(one.id)
  })
  expect(done.node_runs.map(({ node_id }) => node_id)).toEqual(['go', 'rest', 'answer'])
})

test(`${kills} kills under webhooks: each answered one is stored with its output, and nothing half done is left`, async () => {
  const random = seeded(seed + 1)
  const nodes = {
    go: { type: 'trigger.webhook', params: { response: 'respond_node', calls_per_minute: 10_000 } },
    add: { type: 'set', params: { values: { n: '=input.body.n' }, keep_input: false } },
    answer: { type: 'respond' },
  }
  const { id } = await service.read<Workflow>('POST', '/api/workflows', drawn(nodes, ['go → add', 'add → answer']))
  await service.read('POST', `/api/workflows/${id}/activate`)
  const { triggers } = await service.read<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
  const path = triggers[0]?.path ?? ''
  const answered: number[] = []
  let next = 0
  for (let kill = 0; kill < kills; kill += 1) {
    let isKilled = false
    const callers = Array.from({ length: 8 }, async () => {
      while (!isKilled) {
        const n = next++
        const response = await service.send('POST', path, { n }).catch(() => null)
        const output = response?.ok ? await response.json().catch(() => null) : null
        if (output !== null) answered.push(output.n)
      }
    })
    await sleep(100 + random() * 300)
    await service.kill()
    isKilled = true
    await Promise.all(callers)
    await service.restart()
  }
  expect(answered.length).toBeGreaterThan(0)
  const stored: number[] = []
  await eventually(async () => {
    stored.length = 0
    for (let offset = 0; ; offset += 200) {
      const list = `/api/workflows/${id}/executions?limit=200&offset=${offset}`
      const { executions, total } = await service.read<{
        executions: { status: string; output_preview: string }[]
        total: number
      }>('GET', list)
      if (executions.some(({ status }) => status !== 'succeeded')) return false
      stored.push(...executions.map(({ output_preview }) => JSON.parse(output_preview).n as number))
      if (stored.length >= total) return true
    }
  })
  expect(new Set(stored).size).toBe(stored.length)
  expect(stored).toEqual(expect.arrayContaining(answered))
})

test('a wait for a call survives a kill, and the call is taken once', async () => {
  const body = drawn({ start, wait: { type: 'wait_for_call' } }, ['start → wait'])
  const { id } = await service.read<Workflow>('POST', '/api/workflows', body)
  const { execution_id } = await service.read<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`)
  await eventually(async () => (await shown(execution_id)).status === 'waiting')
  await service.kill()
  await service.restart()
  const { resume_path } = await shown(execution_id)
  const called = await Promise.all([1, 2].map((n) => service.send('POST', resume_path ?? '', { n })))
  expect(called.map(({ status }) => status).sort()).toEqual([202, 409])
  await service.kill()
  await service.restart()
  const done = await eventually(async () => {
    const now = await shown(execution_id)
    return now.completed_at !== null && now
  })
  const taken = called[0]?.status === 202 ? 1 : 2
  expect(done).toMatchObject({ status: 'succeeded', output: { method: 'POST', body: { n: taken } } })
})
