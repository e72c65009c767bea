import Papa from 'papaparse'
import { csvParser } from '../../csv-parser.ts'
import { nextTurn } from '../../turn.ts'
import { permanentError } from '../node-type.ts'

export interface TableOptions {
  /** The first row names the columns. */
  header: boolean
  /** Rows before the table. */
  skip_rows: number
  max_rows: number
}

/** Rows as objects by the names in the first row, or as `{row}`. */
export async function rowsAsItems(
  rows: readonly (readonly unknown[])[],
  { header, skip_rows, max_rows }: TableOptions,
): Promise<Record<string, unknown>[]> {
  const [first, ...rest] = rows.slice(skip_rows)
  if (!header) return (first ? [first, ...rest] : []).slice(0, max_rows).map((row) => ({ row }))
  const names = columnNames(first ?? [])
  const items: Record<string, unknown>[] = []
  for (const row of rest.slice(0, max_rows)) {
    const cells = names.map((name, index) => [name, row[index] ?? ''] as const)
    const further = row.slice(names.length).map((cell, index) => [`column_${names.length + index + 1}`, cell] as const)
    items.push(Object.fromEntries([...cells, ...further]))
    if (items.length % 500 === 0) await nextTurn()
  }
  return items
}

const maxColumns = 10_000

/** Columns without a name, or with that of another, get a number. */
function columnNames(cells: readonly unknown[]): string[] {
  if (cells.length > maxColumns)
    throw permanentError('too_large', `The table has ${cells.length} columns; at most ${maxColumns} are read`)
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return cells.map((cell, index) => {
    const base = cell === '' || cell === null || cell === undefined ? `column_${index + 1}` : String(cell)
    let count = counts.get(base) ?? 1
    let name = count === 1 ? base : `${base}_${count}`
    for (; used.has(name); name = `${base}_${count}`) count += 1
    counts.set(base, count + 1)
    used.add(name)
    return name
  })
}

/** The rows of a CSV text; without a delimiter it is detected. Empty lines are left out. */
export async function csvRows(
  text: string,
  { delimiter, byte_order_mark, ...options }: TableOptions & { delimiter: string; byte_order_mark: 'drop' | 'keep' },
) {
  const mark = /^\uFEFF/.exec(text)?.[0] ?? ''
  const most = options.skip_rows + options.max_rows + 1
  const rows = await recordsOf(text.slice(mark.length), { delimiter, most })
  if (byte_order_mark === 'keep' && rows[0]) rows[0][0] = mark + (rows[0][0] ?? '')
  return rowsAsItems(rows, options)
}

/** Characters that are read at a time: about 10 ms. */
const part = 256 * 1024

/** At most so many records, read in parts between which others have their turn. */
async function recordsOf(text: string, { delimiter, most }: { delimiter: string; most: number }): Promise<string[][]> {
  const parser = csvParser(text.slice(0, part), delimiter)
  const records: string[][] = []
  let read = 0
  for (let start = 0, size = part; start < text.length && records.length < most; ) {
    const isLast = start + size >= text.length
    const { data, errors, meta } = parser.parse(text.slice(start, start + size), 0, !isLast) as Papa.ParseResult<
      string[]
    >
    const [error] = errors
    if (error)
      throw permanentError('invalid_csv', `It is not CSV: ${error.message} (row ${read + (error.row ?? 0) + 1})`)
    read += data.length
    for (const record of data) if (record.length > 1 || record[0] !== '') records.push(record)
    if (isLast) break
    start += meta.cursor
    // A record may be longer than a part.
    size = meta.cursor === 0 ? size * 2 : part
    await nextTurn()
  }
  return records.slice(0, most)
}

/** The columns of items, in the order in which they appear. */
export const columnsOf = (items: readonly object[]): string[] => [
  ...new Set(items.flatMap((item) => Object.keys(item))),
]

export const cellText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

interface CsvOptions {
  header: boolean
  delimiter: string
}

/** Text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvText(items: readonly Record<string, unknown>[], { header, delimiter }: CsvOptions): string {
  const names = columnsOf(items)
  const rows = items.map((item) => names.map((name) => cellText(item[name])))
  const lines = header ? [names, ...rows] : rows
  return Papa.unparse(lines, { delimiter, newline: '\n', escapeFormulae: true })
}
