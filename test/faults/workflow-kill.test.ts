import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionDetails, Workflow } from '../../runtime/workflows/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { drawn } from '../workflows/kit.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS. */
const kills = Number(process.env.KILLS ?? 4)
const seed = 20261123
const items = 150

/** Appends one line for each item; what else runs only computes, in batches that kills cut. */
const looping = drawn(
  {
    start: { type: 'trigger.manual' },
    each: { type: 'loop', params: { items } },
    inner: { type: 'loop', params: { items: 20 } },
    one: { type: 'set', params: { values: { n: '=item + 1' }, keep_input: false } },
    sum: { type: 'set', params: { values: { sum: '=$sum(input.items.n)', at: '=item' }, keep_input: false } },
    number: { type: 'code', params: { code: 'return { line: input.sum === 210 ? input.at : "wrong" }' } },
    append: {
      type: 'file',
      params: { action: 'append', path: '{{ vars.file }}', content: '{{ input.line }}\n' },
    },
    back: { type: 'set', params: { values: { at: '=item' }, keep_input: false } },
    read: { type: 'file', params: { action: 'read', path: '{{ vars.file }}' } },
  },
  [
    ...['start → each', 'each:loop → inner', 'inner:loop → one', 'one → inner', 'inner:done → sum', 'sum → number'],
    ...['number → append', 'append → back', 'back → each', 'each:done → read'],
  ],
)

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

async function begun(run: number): Promise<string> {
  const body = { ...looping, variables: { file: `lines-${run}.txt` } }
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

test(`an execution survives ${kills} kills: stored results stay, and nothing is done twice`, async () => {
  const random = seeded(seed)
  const begin = [await begun(0)]
  for (let kill = 0; kill < kills; kill += 1) {
    const id = begin.at(-1) ?? ''
    await sleep(random() * 400)
    const before = await shown(id)
    await service.kill()
    await service.restart()
    const after = await shown(id)
    expect(finishedIn(after)).toEqual(expect.arrayContaining(finishedIn(before)))
    if (after.completed_at !== null) begin.push(await begun(kill + 1))
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
    // Each line at most once and in order; at most one is missing for each kill.
    expect(lines).toEqual([...new Set(lines)].sort((left, right) => left - right))
    expect(lines.length).toBeGreaterThanOrEqual(items - kills)
  }
})

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
