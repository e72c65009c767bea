import Papa from 'papaparse'
import { permanentError } from '../node-type.ts'

export interface TableOptions {
  /** The first row names the columns. */
  header: boolean
  /** Rows before the table. */
  skip_rows: number
  max_rows: number
}

/** Rows as objects by the names in the first row, or as `{row}`. */
export function rowsAsItems(rows: readonly (readonly unknown[])[], options: TableOptions): Record<string, unknown>[] {
  const { header, skip_rows, max_rows } = options
  const [first, ...rest] = rows.slice(skip_rows)
  if (!header) return (first ? [first, ...rest] : []).slice(0, max_rows).map((row) => ({ row }))
  const names = columnNames(first ?? [])
  return rest.slice(0, max_rows).map((row) => {
    const cells = names.map((name, index) => [name, row[index] ?? ''] as const)
    const further = row.slice(names.length).map((cell, index) => [`column_${names.length + index + 1}`, cell] as const)
    return Object.fromEntries([...cells, ...further])
  })
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
export function csvRows(
  text: string,
  { delimiter, byte_order_mark, ...options }: TableOptions & { delimiter: string; byte_order_mark: 'drop' | 'keep' },
) {
  const preview = options.skip_rows + options.max_rows + 1
  const mark = /^\uFEFF/.exec(text)?.[0] ?? ''
  const parsed = Papa.parse<string[]>(text.slice(mark.length), { delimiter, preview, skipEmptyLines: true })
  if (byte_order_mark === 'keep' && parsed.data[0]) parsed.data[0][0] = mark + (parsed.data[0][0] ?? '')
  const error = parsed.errors.find(({ code }) => code !== 'UndetectableDelimiter')
  if (error) throw permanentError('invalid_csv', `It is not CSV: ${error.message} (row ${(error.row ?? 0) + 1})`)
  return rowsAsItems(parsed.data, options)
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
  bom: boolean
}

/** Text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvText(items: readonly Record<string, unknown>[], { header, delimiter, bom }: CsvOptions): string {
  const names = columnsOf(items)
  const rows = items.map((item) => names.map((name) => cellText(item[name])))
  const lines = header ? [names, ...rows] : rows
  return `${bom ? '\uFEFF' : ''}${Papa.unparse(lines, { delimiter, newline: '\n', escapeFormulae: true })}`
}
