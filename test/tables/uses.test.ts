import { beforeEach, describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { addRows, listRows } from '../../runtime/tables/rows.ts'
import { tables } from '../../runtime/tables/tables.ts'
import { tablesTool } from '../../runtime/tables/tool.ts'
import { testHost } from '../support/host.ts'
import { drawn, nodeRun, ran } from '../workflows/kit.ts'

let host: MemoryHost
let id: string
beforeEach(async () => {
  host = await testHost()
  const body = tables.New.parse({
    name: 'People',
    columns: [{ name: 'Name' }, { name: 'Age', type: 'number' }],
  })
  id = (await tables.add(localContext(host), body)).id
})

const page = { limit: 50, offset: 0 }
const all = async () => (await listRows(localContext(host), id, page)).rows

describe('a workflow', () => {
  const run = async (params: object, input: object = {}) => {
    const nodes = {
      start: { type: 'trigger.manual' },
      rows: { type: 'set', params: { values: {}, keep_input: true } },
      table: { type: 'table', params: { table_id: id, ...params } },
    }
    const execution = await ran(host, drawn(nodes, ['start → rows', 'rows → table']), input)
    return { execution, run: await nodeRun(host, execution, 3) }
  }

  test('adds, finds and changes rows', async () => {
    const added = await run({ action: 'insert', rows: [{ Name: 'Ada', Age: 36 }, { Name: 'bob' }] })
    expect(added.run.output).toMatchObject({ ids: [1, 2] })
    const upserted = await run({ action: 'upsert', by: 'Name', rows: '={"Name": "Ada", "Age": 37}' })
    expect(upserted.run.output).toMatchObject({ updated: 1, inserted: [] })
    const read = await run({ filter: [{ column: 'Age', is: 'greater', value: 30 }] })
    expect(read.run.output).toEqual({ rows: [{ id: 1, Name: 'Ada', Age: 37 }], total: 1 })
    await run({ action: 'delete', filter: [{ column: 'Name', value: 'bob' }] })
    expect(await all()).toHaveLength(1)
  })

  test('fails at the node if the table has another column by then', async () => {
    const { execution, run: failed } = await run({ action: 'insert', rows: [{ Nope: 1 }] })
    expect([execution.status, failed.error]).toEqual([
      'failed',
      expect.objectContaining({ code: 'table', message: expect.stringContaining('Nope is no column') }),
    ])
  })
})

describe('an agent', () => {
  const use = async (input: object) => {
    const context = localContext(host)
    const scope = { context, agent: await requireDefaultAgent(context) }
    return tablesTool.run(tablesTool.input.parse(input), scope as Parameters<typeof tablesTool.run>[1])
  }

  test('sees the tables, reads rows and changes them', async () => {
    expect(await use({ action: 'list' })).toMatchObject({
      tables: [{ name: 'People', columns: ['Name: text', 'Age: number'], row_count: 0 }],
    })
    await use({ action: 'insert', table: 'people', rows: [{ Name: 'Ada' }] })
    await use({
      action: 'update',
      table: id,
      filter: [{ column: 'Name', value: 'Ada' }],
      values: { Age: 36 },
    })
    expect(await use({ action: 'read', table: id })).toMatchObject({ rows: [{ Name: 'Ada', Age: 36 }] })
    await expect(use({ action: 'read', table: 'Nope' })).rejects.toThrow('There is no table')
    await expect(use({ action: 'delete', table: id })).rejects.toThrow('filter is required')
    await expect(use({ action: 'insert', table: id })).rejects.toThrow('rows')
  })

  test('is asked about changes, most of all about deleting', () => {
    const of = (action: string) => tablesTool.input.parse({ action }) as never
    const classes = (action: string) => [tablesTool.effect(of(action)), tablesTool.risk(of(action))]
    expect([classes('read'), classes('insert'), classes('delete')]).toEqual([
      ['read', 'low'],
      ['write', 'medium'],
      ['write', 'high'],
    ])
  })
})

test('a full table takes no more rows', async () => {
  const context = localContext(host)
  await host.sql.write([{ sql: 'UPDATE data_tables SET row_count = 1000000' }])
  await expect(addRows(context, id, { rows: [{ Name: 'Ada' }] })).rejects.toThrow('The table is full')
  expect(await host.sql.read('SELECT count(*) AS count FROM data_changes')).toEqual([{ count: 0 }])
})
