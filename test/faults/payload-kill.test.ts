import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionDetails, Workflow } from '../../runtime/workflows/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { drawn } from '../workflows/kit.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS, others with SEED. */
const kills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.SEED ?? 20261128)
const items = 12
const KiB = 1024

const set = (values: object) => ({ type: 'set', params: { values, keep_input: false } })

/** Passes values of 300 KB to 4 MB on through a loop, a node with an effect and a wait. */
const drawing = drawn(
  {
    start: { type: 'trigger.manual' },
    big: set({ list: `=[1..${items}].{"n": $, "text": $pad("", ${300 * KiB}, "x")}` }),
    same: { type: 'condition', params: { expression: 'true' } },
    each: { type: 'loop', params: { items: '=input.list' } },
    text: set({ n: '=item.n', text: '=item.text & $string(item.n)' }),
    append: { type: 'file', params: { action: 'append', path: '{{ vars.file }}', content: '{{ item.n }}\n' } },
    back: set({ text: '=nodes.text.output.text' }),
    wait: { type: 'delay', params: { seconds: 0 } },
    read: { type: 'file', params: { action: 'read', path: '{{ vars.file }}' } },
    last: set({
      lines: '=nodes.read.output.text',
      lengths: '=nodes.each.output.items.$length(text)',
      from: '=$length(nodes.big.output.list[0].text)',
    }),
  },
  [
    ...['start → big', 'big → same', 'same:true → each', 'each:loop → text', 'text → append', 'append → back'],
    ...['back → each', 'each:done → wait', 'wait → read', 'read → last'],
  ],
)

let service: Service

beforeAll(async () => {
  service = await Service.start()
})

afterAll(() => service.kill())

const shown = (id: string) => service.read<ExecutionDetails>('GET', `/api/workflows/executions/${id}`)

async function begun(run: number): Promise<[workflow: string, execution: string]> {
  const { id } = await service.read<Workflow>('POST', '/api/workflows', {
    ...drawing,
    variables: { file: `${run}.txt` },
  })
  const { execution_id } = await service.read<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`)
  return [id, execution_id]
}

/** How many large values the data folder of a daemon that is not running has, how many it lacks, and how many nobody has. */
function contents(): { stored: number; missing: number; orphans: number } {
  const database = new Database(join(service.folder, 'hearthd.db'), { readonly: true })
  const columns = Object.entries({
    workflow_executions: ['input', 'output'],
    workflow_node_runs: ['input', 'output'],
    workflow_loops: ['items'],
    workflow_loop_results: ['value'],
  }).flatMap(([table, names]) => names.map((name) => `SELECT ${name} AS value FROM ${table}`))
  const uses = `SELECT substr(value, 2, 64) AS sha256 FROM (${columns.join(' UNION ALL ')}) WHERE value LIKE '@%'`
  const counted = database
    .prepare(`SELECT count(DISTINCT sha256) AS stored, count(DISTINCT sha256) FILTER (WHERE sha256 NOT IN (${uses})) AS orphans,
      (SELECT count(*) FROM (${uses}) WHERE sha256 NOT IN (SELECT sha256 FROM workflow_blobs)) AS missing FROM workflow_blobs`)
    .get() as { stored: number; missing: number; orphans: number }
  database.close()
  return counted
}

test(`large values survive ${kills} kills: none is missing, none is left over, and nothing is done twice`, async () => {
  const random = seeded(seed)
  const begin = [await begun(0)]
  const settled = async (id: string) => {
    const now = await shown(id)
    for (const { token, node_id, kind } of now.waiting_for)
      if (kind === 'repeat') {
        expect(node_id).toBe('append')
        await service.read('POST', `/api/workflows/executions/${id}/answer`, { token, choice: 'Skip' })
      }
    return now
  }
  for (let kill = 1; kill <= kills; kill += 1) {
    const [, id = ''] = begin.at(-1) ?? []
    await sleep(random() * 500)
    await service.kill()
    expect(contents()).toMatchObject({ missing: 0, orphans: 0 })
    await service.restart()
    if ((await settled(id)).completed_at !== null) begin.push(await begun(kill))
  }
  const lengths = Array.from({ length: items }, (_, n) => 300 * KiB + String(n + 1).length)
  for (const [workflow, id] of begin) {
    const done = await eventually(async () => {
      const now = await settled(id)
      return now.completed_at !== null && now
    })
    expect(done).toMatchObject({ error: null, output: { lengths, from: 300 * KiB } })
    const lines = (done.output as { lines: string }).lines.trim().split('\n').map(Number)
    expect(lines).toEqual([...new Set(lines)].sort((left, right) => left - right))
    expect(lines.length).toBeGreaterThanOrEqual(items - kills)
    await service.read('DELETE', `/api/workflows/${workflow}`)
  }
  await service.kill()
  expect(contents()).toMatchObject({ stored: 0, missing: 0, orphans: 0 })
})
