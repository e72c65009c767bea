import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

/** A spreadsheet with one sheet, as the API answers for it. */
function spreadsheet(values: unknown[][]) {
  const requests: string[] = []
  const range = /^\/v4\/spreadsheets\/book\/values\/'Tea''s'(?:!A(\d+))?(:append|:clear)?$/
  async function fetch(input: string | URL, init: RequestInit = {}) {
    const url = new URL(input)
    const { method = 'GET' } = init
    requests.push(`${method} ${decodeURIComponent(url.pathname)}`)
    if (url.pathname === '/v4/spreadsheets/book')
      return Response.json({ sheets: [{ properties: { sheetId: 7, title: "Tea's" } }] })
    const [, row, verb] = range.exec(decodeURIComponent(url.pathname)) ?? []
    const { values: sent = [] } = JSON.parse(String(init.body ?? '{}')) as { values?: unknown[][] }
    if (method === 'GET') return Response.json({ values })
    if (verb === ':clear') values.length = 0
    else if (verb === ':append') values.push(...sent)
    else
      for (const [at, cell] of (sent[0] ?? []).entries()) if (cell !== null) (values[Number(row) - 1] ?? [])[at] = cell
    return Response.json({})
  }
  return { outbound: { ...noOutbound, fetch }, requests, values }
}

const rows = () => [
  ['Name', 'Cups'],
  ['Ada', 2],
  ['Bob', 5],
]

async function used(values: unknown[][], params: object, input: unknown = {}) {
  const sheets = spreadsheet(values)
  const host = await testHost({ outbound: sheets.outbound })
  const start = { type: 'trigger.manual' }
  const sheet = {
    type: 'sheet',
    params: { spreadsheet: 'https://docs.google.com/spreadsheets/d/book/edit', ...params },
  }
  const done = await ran(host, drawn({ start, sheet }, ['start → sheet']), { input })
  return { done, ...sheets }
}

test.each([
  [
    {},
    [
      { row_number: 2, Name: 'Ada', Cups: 2 },
      { row_number: 3, Name: 'Bob', Cups: 5 },
    ],
  ],
  [{ where: { Cups: '5' } }, [{ row_number: 3, Name: 'Bob', Cups: 5 }]],
  [{ first_only: true, sheet: 'gid=7' }, [{ row_number: 2, Name: 'Ada', Cups: 2 }]],
])('rows are read by column with %j', async (params, output) => {
  expect((await used(rows(), params)).done).toMatchObject({ status: 'succeeded', output })
})

test.each([
  ['append', '', { Name: 'Cy', Cups: 1 }, [...rows(), ['Cy', 1]]],
  ['append', '', { Name: 'Cy' }, [...rows(), ['Cy', '']]],
  [
    'update',
    'Name',
    { Name: 'Bob', Cups: 6 },
    [
      ['Name', 'Cups'],
      ['Ada', 2],
      ['Bob', 6],
    ],
  ],
  [
    'update',
    'row_number',
    { row_number: 2, Cups: 9 },
    [
      ['Name', 'Cups'],
      ['Ada', 9],
      ['Bob', 5],
    ],
  ],
  ['update', 'Name', { Name: 'Cy', Cups: 6 }, rows()],
  ['upsert', 'Name', { Name: 'Cy', Cups: 6 }, [...rows(), ['Cy', 6]]],
  [
    'upsert',
    'Name',
    { Name: 'Ada', Cups: 3 },
    [
      ['Name', 'Cups'],
      ['Ada', 3],
      ['Bob', 5],
    ],
  ],
])('%s by %j writes %j, and leaves other values', async (action, match, row, expected) => {
  const { done, values } = await used(rows(), { action, match, rows: row })
  expect(done.status).toBe('succeeded')
  expect(values).toEqual(expected)
})

test('an empty sheet gets the names of its columns first, and each item is a row', async () => {
  const { values } = await used([], { action: 'append' }, [{ a: 1 }, { a: 2 }])
  expect(values).toEqual([['a'], [1], [2]])
})

test.each([
  [{ where: { Size: 'S' } }, 'no_column'],
  [{ action: 'append', rows: { Size: 'S' } }, 'no_column'],
  [{ action: 'update', rows: { Name: 'Ada' } }, 'no_column'],
  [{ sheet: 'gid=8' }, 'no_sheet'],
  [{ action: 'update', match: 'Name', rows: { Cups: 1 } }, 'invalid_params'],
  [{ action: 'upsert', match: 'Name', rows: [{ Name: 'Cy' }, { Name: null, Cups: 1 }] }, 'invalid_params'],
])('%j names what is not there', async (params, code) => {
  const { done, requests } = await used(rows(), params)
  expect(done).toMatchObject({ status: 'failed', error: { node_id: 'sheet', code } })
  expect(requests.every((one) => one.startsWith('GET'))).toBe(true)
})

test('a node of n8n for a sheet reads and writes the same rows', () => {
  const node = (name: string, parameters: object, typeVersion = 4.5) => ({
    ...{ name, type: 'n8n-nodes-base.googleSheets', typeVersion },
    parameters: {
      documentId: { mode: 'id', value: 'book' },
      sheetName: { mode: 'list', value: 'gid=7' },
      ...parameters,
    },
    credentials: { googleSheetsOAuth2Api: { id: '1', name: 'Sheets' } },
  })
  const columns = { mappingMode: 'defineBelow', value: { Name: '={{ $json.n }}' }, matchingColumns: ['Name'] }
  const { workflow, report } = importN8n({
    nodes: [
      node('Read', { filtersUI: { values: [{ lookupColumn: 'Name', lookupValue: '={{ $json.n }}' }] } }),
      node('Add', { operation: 'append', columns: { mappingMode: 'autoMapInputData', value: {} } }),
      node('Change', { operation: 'appendOrUpdate', columns, sheetName: { mode: 'name', value: 'Tea' } }),
      node('Older', { sheetId: 'book', range: 'Tea!A:F', documentId: undefined, options: {} }, 1),
    ],
  })
  expect(report).toMatchObject({ placeholders: [], issues: [], credentials: [{ name: 'Sheets', kind: 'oauth2' }] })
  const common = { credential: 'Sheets', spreadsheet: 'book' }
  expect(workflow.nodes.map(({ params }) => params)).toMatchObject([
    { ...common, action: 'read', sheet: 'gid=7', where: { Name: '=js:{{ $json.n }}' } },
    { ...common, action: 'append', rows: '=js:{{ $json }}' },
    { ...common, action: 'upsert', sheet: 'Tea', match: 'Name', rows: { Name: '=js:{{ $json.n }}' } },
    { ...common, action: 'read', sheet: 'Tea' },
  ])
})
