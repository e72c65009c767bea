import { z } from 'zod'
import type { Context } from '../../context.ts'
import { fetchWith, withoutSecrets } from '../../credentials/index.ts'
import { readBytes } from '../../http/body.ts'
import { reference } from '../../references.ts'
import { nodeType, permanentError } from '../node-type.ts'
import { maxOutput } from '../values.ts'
import { failRequest, statusError } from './requests.ts'
import { type Row, requireRows } from './rows.ts'

const Params = z.object({
  action: z
    .enum(['read', 'append', 'update', 'upsert', 'clear'])
    .default('read')
    .meta({
      labels: {
        read: 'Read rows',
        append: 'Add rows',
        update: 'Change rows',
        upsert: 'Change rows, or add them',
        clear: 'Clear the sheet',
      },
    }),
  credential: reference('credential', 64)
    .default('')
    .meta({ title: 'Credential', labels: { null: 'None' } }),
  spreadsheet: z.string().trim().min(1).max(1_000).meta({ description: 'Its address or id' }),
  sheet: z
    .string()
    .trim()
    .max(200)
    .default('')
    .meta({ description: 'Its title, or gid=0 with the number in its address. Leave blank for the first one' }),
  where: z.record(z.string(), z.unknown()).default({}).meta({
    description: 'To read: the rows with these values by column, such as {"Name": "Ada"}. Leave blank for all',
  }),
  first_only: z.boolean().default(false).meta({ title: 'First row only', description: 'To read' }),
  rows: z.unknown().optional().meta({
    description:
      'To write: one row by column, such as {"Name": "Ada"}, or a list. Leave blank to use the input of the node',
  }),
  match: z.string().max(200).default('').meta({
    description: 'To change: the column that says which row it is, or row_number',
  }),
  raw: z.boolean().default(false).meta({ description: 'Values are stored as they are, and not read as if typed' }),
})
type Params = z.output<typeof Params>

export const sheet = nodeType<Params>({
  type: 'sheet',
  title: 'Google Sheets',
  description:
    'Reads, adds or changes rows of a sheet whose first row has the names of its columns. Its output is the rows by column, with row_number where it is known.',
  category: 'data',
  params: Params,
  usual_input: 'item',
  risk: 'medium',
  side_effects: true,
  effect: ({ action }) => action !== 'read',
  async run(params, { context, input }) {
    try {
      const api = apiOf(params, context)
      const title = await titleOf(params, api)
      if (params.action === 'clear') {
        await api('POST', `/values/${encodeURIComponent(title)}:clear`, {})
        return { output: input }
      }
      const table = await tableOf(api, title)
      if (params.action === 'read') return { output: matching(table, params) }
      return { output: await write({ api, title, table }, params, requireRows(params.rows ?? input)) }
    } catch (thrown) {
      failRequest(thrown, { signal: context.signal, host: 'Google Sheets' })
    }
  },
})

type Api = (method: string, path: string, body?: unknown) => Promise<unknown>

function apiOf({ spreadsheet, credential }: Params, context: Context): Api {
  const id = /\/d\/([\w-]+)/.exec(spreadsheet)?.[1] ?? spreadsheet
  return async (method, path, body) => {
    const init = {
      method,
      headers: { 'content-type': 'application/json' },
      signal: context.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const url = new URL(`https://sheets.googleapis.com/v4/spreadsheets/${encodeURIComponent(id)}${path}`)
    const response = await (credential === ''
      ? context.outbound.fetch(url, init)
      : fetchWith(context, credential, url, init))
    const { status } = response
    const text = withoutSecrets(context, new TextDecoder().decode(await readBytes(response, maxOutput)))
    if (status < 400) return JSON.parse(text) as unknown
    throw statusError(status, 'Google Sheets', text)
  }
}

const Properties = z.object({
  sheets: z.array(z.object({ properties: z.object({ sheetId: z.number(), title: z.string() }) })),
})

/** Titles in ranges are quoted. */
const quoted = (title: string): string => `'${title.replaceAll("'", "''")}'`

async function titleOf({ sheet: named }: Params, api: Api): Promise<string> {
  const gid = /^gid=(\d+)$/.exec(named)?.[1]
  if (named !== '' && gid === undefined) return quoted(named)
  const { sheets } = Properties.parse(await api('GET', '?fields=sheets.properties(sheetId,title)'))
  const own = sheets.find(({ properties }) => gid === undefined || properties.sheetId === Number(gid))
  if (!own) throw permanentError('no_sheet', `The spreadsheet has no sheet ${named}`)
  return quoted(own.properties.title)
}

interface Table {
  columns: string[]
  rows: unknown[][]
}

const Values = z.object({ values: z.array(z.array(z.unknown())).default([]) })

async function tableOf(api: Api, title: string): Promise<Table> {
  const path = `/values/${encodeURIComponent(title)}?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING`
  const [head = [], ...rows] = Values.parse(await api('GET', path)).values
  return { columns: head.map(String), rows }
}

const rowAt = ({ columns, rows }: Table, at: number): Row => ({
  row_number: at + 2,
  ...Object.fromEntries(columns.flatMap((name, index) => (name === '' ? [] : [[name, rows[at]?.[index] ?? '']]))),
})

const isSame = (left: unknown, right: unknown): boolean => String(left ?? '') === String(right ?? '')

function matching(table: Table, { where, first_only }: Params): Row[] {
  requireColumns(table, Object.keys(where))
  const all = table.rows.map((_, at) => rowAt(table, at))
  const own = all.filter((row) => Object.entries(where).every(([name, value]) => isSame(row[name], value)))
  return first_only ? own.slice(0, 1) : own
}

function requireColumns({ columns }: Table, names: readonly string[]): void {
  const missing = names.find((name) => name !== 'row_number' && !columns.includes(name))
  if (missing !== undefined)
    throw permanentError('no_column', `The sheet has no column ${missing}; its columns are ${columns.join(', ')}`)
}

interface Target {
  api: Api
  title: string
  table: Table
}

async function write({ api, title, table }: Target, { action, match, raw }: Params, rows: readonly Row[]) {
  const option = `valueInputOption=${raw ? 'RAW' : 'USER_ENTERED'}`
  const isEmpty = table.columns.length === 0 && table.rows.length === 0
  const columns = isEmpty ? [...new Set(rows.flatMap(Object.keys))] : table.columns
  requireColumns({ ...table, columns }, rows.flatMap(Object.keys))
  if (action !== 'append') {
    requireColumns({ ...table, columns }, [match])
    // Without one, the first row with an empty cell would be changed.
    if (rows.some((row) => (row[match] ?? null) === null))
      throw permanentError('invalid_params', `A row has no value for the column ${match} to match`)
  }
  // A value that is not named stays as it is.
  const cells = (row: Row, empty: unknown) => columns.map((name) => cell(row[name], empty))
  const written: Row[] = []
  const added: unknown[][] = isEmpty ? [columns] : []
  for (const row of rows) {
    const at = action === 'append' ? -1 : positionOf(table, row, match)
    if (at >= 0) {
      const range = encodeURIComponent(`${title}!A${at + 2}`)
      await api('PUT', `/values/${range}?${option}`, { values: [cells(row, null)] })
      written.push({ ...row, row_number: at + 2 })
    } else if (action !== 'update') {
      added.push(cells(row, ''))
      written.push(row)
    }
  }
  if (written.length > 0 && added.length > 0)
    await api('POST', `/values/${encodeURIComponent(`${title}!A1`)}:append?${option}&insertDataOption=INSERT_ROWS`, {
      values: added,
    })
  return written
}

const cell = (value: unknown, empty: unknown): unknown =>
  value === undefined || value === null ? empty : typeof value === 'object' ? JSON.stringify(value) : value

/** The row that a row to write means, from 0; -1 if there is none. */
function positionOf({ columns, rows }: Table, row: Row, match: string): number {
  if (match === 'row_number') {
    const number = Number(row.row_number)
    return Number.isInteger(number) && number >= 2 ? number - 2 : -1
  }
  const column = columns.indexOf(match)
  return rows.findIndex((cells) => isSame(cells[column], row[match]))
}
