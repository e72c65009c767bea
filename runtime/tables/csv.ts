import Papa from 'papaparse'
import type { Context } from '../context.ts'
import { csvParser } from '../csv-parser.ts'
import { badRequest, invalidField } from '../fault.ts'
import { cleanName, download } from '../files/index.ts'
import { newId } from '../id.ts'
import { type Column, cellOfText, typeOfTexts, WrongValue } from './columns.ts'
import { findChange } from './history-store.ts'
import { type Cells, insertRows, rowsAfter } from './row-store.ts'
import { changeRows, placeOf, undoChange } from './rows.ts'
import { columnsOf, requireWritable, tables } from './tables.ts'

/** Rows that are read or written at a time. */
const batch = 1_000
/** Characters of a row. */
const maxRow = 1_000_000

/** All rows as CSV (RFC 4180), read while it is sent. Text that a spreadsheet would run as a formula begins with an apostrophe. */
export async function csvOf(context: Context, id: string): Promise<Response> {
  const table = await tables.require(context, id)
  const lines = linesOf(context, placeOf(table))
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
  return download(body, { name: `${cleanName(table.name)}.csv`, type: 'text/csv; charset=utf-8' })
}

async function* linesOf(context: Context, place: ReturnType<typeof placeOf>): AsyncGenerator<string, void> {
  const unparse = (cells: unknown[][]) => `${Papa.unparse(cells, { escapeFormulae: true })}\r\n`
  const names = place.columns.map(({ name }) => name)
  yield unparse([names])
  for (let last = 0; ; ) {
    const rows = await rowsAfter(context, place, last, batch)
    if (rows.length === 0) return
    last = rows.at(-1)?.id ?? 0
    const textOf = (value: unknown) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value)
    yield unparse(rows.map((row) => names.map((name) => textOf(row[name]))))
  }
}

/**
 * Adds the rows of a CSV file, whose first line names the columns; those that the table lacks are added, with the type of
 * the first rows. A row that does not fit takes back all of them.
 */
export async function importCsv(context: Context, id: string, pieces: AsyncIterable<Uint8Array>) {
  await requireWritable(context, id)
  const records = recordsOf(pieces)
  const first = await records.next()
  const [header, ...rows] = first.done ? [] : first.value
  if (!header) throw badRequest('The file is empty')
  const change_id = newId('chg', context.clock.now())
  const columns = await columnsFor(context, id, header, rows)
  let imported = 0
  const add = async (part: readonly string[][]) => {
    const cells = part.map((record, index) => cellsOf(columns, record, imported + index + 1))
    const table = await requireWritable(context, id)
    const statements = [insertRows(placeOf(table), cells)]
    await changeRows(context, table, { action: 'import', statements, change_id, part: true })
    imported += part.length
  }
  try {
    if (rows.length > 0) await add(rows)
    for await (const part of records) await add(part)
    await changeRows(context, await requireWritable(context, id), {
      action: 'import',
      statements: [],
      change_id,
    })
  } catch (thrown) {
    if (await findChange(context, id, change_id)) await undoChange(context, id, change_id)
    throw thrown
  }
  return { rows: imported, change_id }
}

/** The columns that a header names, in its order. */
async function columnsFor(context: Context, id: string, header: string[], rows: string[][]): Promise<Column[]> {
  const table = await requireWritable(context, id)
  const names = header.map((name) => name.trim())
  const known = new Set(columnsOf(table).map(({ name }) => name))
  const added = names.flatMap((name, index) =>
    known.has(name) ? [] : [{ name, type: typeOfTexts(rows.map((row) => row[index] ?? '')) }],
  )
  if (new Set(names).size < names.length) throw invalidField('file', 'names a column twice in its first line')
  if (added.length > 0) {
    const changes = tables.Changes.safeParse({ columns: [...table.columns, ...added] })
    if (!changes.success)
      throw invalidField('file', `has a column ${JSON.stringify(added.at(-1)?.name)}, which cannot be added`)
    await tables.edit(context, id, changes.data)
  }
  const byName = new Map(columnsOf(await requireWritable(context, id)).map((column) => [column.name, column]))
  return names.flatMap((name) => byName.get(name) ?? [])
}

function cellsOf(columns: readonly Column[], record: readonly string[], row: number): Cells {
  if (record.length > columns.length) throw invalidField('file', `has more values in row ${row} than columns`)
  return Object.fromEntries(
    columns.map((column, index) => {
      try {
        return [column.id, cellOfText(column, (record[index] ?? '').replace(/^'(?=[=+\-@\t\r])/, ''))]
      } catch (thrown) {
        if (!(thrown instanceof WrongValue)) throw thrown
        throw invalidField('file', `has in row ${row} a ${column.name} that ${thrown.message}`)
      }
    }),
  )
}

/** The records of a file in parts, each as soon as it is read. */
async function* recordsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[][], void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let parser: Papa.Parser | undefined
  const take = (isLast: boolean): string[][] => {
    if (rest === '') return []
    parser ??= csvParser(rest)
    const { data, errors, meta } = parser.parse(rest, 0, !isLast) as Papa.ParseResult<string[]>
    if (errors[0] && isLast) throw invalidField('file', `is not CSV: ${errors[0].message}`)
    rest = isLast ? '' : rest.slice(meta.cursor)
    if (rest.length > maxRow) throw invalidField('file', `has a row of more than ${maxRow} characters`)
    return data.filter((record) => record.some((text) => text !== ''))
  }
  const waiting: string[][] = []
  for await (const piece of pieces) {
    rest += decoded(() => decoder.decode(piece, { stream: true }))
    waiting.push(...take(false))
    while (waiting.length > batch) yield waiting.splice(0, batch)
  }
  rest += decoded(() => decoder.decode())
  waiting.push(...take(true))
  while (waiting.length > 0) yield waiting.splice(0, batch)
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw invalidField('file', 'must be text in UTF-8')
  }
}
