import { IconDownload } from '@tabler/icons-react'
import { SmallButton } from '../../parts/buttons.tsx'
import { saveFile } from '../../parts/save-file.ts'

type Cell = string | number | null

/** A column heading and the function that returns its cell. */
export type Column<Row> = readonly [heading: string, read: (row: Row) => Cell]

interface CsvButtonProps<Row> {
  /** File name without the extension. */
  name: string
  columns: readonly Column<Row>[]
  rows: () => readonly Row[]
}

export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>) {
  const save = () =>
    saveFile(`hearthd-${name}.csv`, new Blob([csvOf(columns, rows())], { type: 'text/csv;charset=utf-8' }))
  return (
    <SmallButton icon={IconDownload} onClick={save}>
      Export CSV
    </SmallButton>
  )
}

/** RFC 4180. Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, read]) => cellText(read(row)))),
  ]
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('')
}

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
