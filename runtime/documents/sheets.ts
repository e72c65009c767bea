import type { SheetChoice } from '../ports/reader.ts'
import { needPart, pathsInOrder, type Target } from './archive.ts'
import { DocumentError } from './document.ts'
import { readXml } from './xml.ts'

/** Columns of one row that are written; a sheet may have a cell in column 16,384. */
const maxColumns = 1_000

type Cell = string | number | boolean | null

interface Sheets {
  /** A sheet begins; false leaves it out. */
  sheet(name: string): boolean
  row(cells: readonly Cell[]): void
  full(): boolean
}

/** The text of a workbook: its sheets in order, each row a line. Dates are written as ISO dates. */
export const sheetsText = (target: Target): Promise<void> =>
  readSheets(target, {
    sheet(name) {
      target.text.mark(`Sheet ${name}`)
      return true
    },
    row(cells) {
      const texts = cells.map(displayText)
      if (texts.some(Boolean)) target.text.add(`${texts.join('\t')}\n`)
    },
    full: () => target.text.full,
  })

/** The rows of a sheet, the first one if it has no name, each as JSON on a line of its own. */
export async function sheetRows(target: Target, { sheet, max_rows }: SheetChoice): Promise<void> {
  const names: string[] = []
  let rows = 0
  let found = false
  await readSheets(target, {
    sheet(name) {
      names.push(name)
      const isChosen = !found && (sheet === '' || sheet === name)
      found ||= isChosen
      return isChosen
    },
    row(cells) {
      rows += 1
      target.text.add(`${JSON.stringify(cells)}\n`)
    },
    full: () => target.text.full || rows >= max_rows,
  })
  if (!found) throw new DocumentError(`it has no sheet ${sheet}; its sheets are ${names.join(', ')}`)
}

async function readSheets(target: Target, sheets: Sheets): Promise<void> {
  const { parts, pause } = target
  needPart(parts, /^xl\/workbook/)
  const listed = await pathsInOrder(target, 'xl/workbook.xml', 'sheet')
  const strings = await sharedStrings(target)
  const dates = await dateStyles(target)
  for (const { name, path } of listed) {
    if (sheets.full()) return
    if (!sheets.sheet(name)) continue
    let row: Cell[] = []
    let cell = { type: '', style: '', column: 0 }
    let value = ''
    let isValue = false
    await readXml(
      parts.get(path),
      {
        open(element, { t = '', s = '', r = '' }) {
          if (element === 'row') row = []
          if (element === 'c') {
            cell = { type: t, style: s, column: columnOf(r) ?? row.length }
            value = ''
          }
          isValue = element === 'v' || element === 't'
        },
        text(piece) {
          if (isValue) value += piece
        },
        close(element) {
          isValue = false
          if (element === 'c' && cell.column < maxColumns) {
            while (row.length < cell.column) row.push(null)
            row[cell.column] = cellOf(value, cell, strings, dates)
          }
          if (element === 'row' && !sheets.full()) sheets.row(row)
        },
        done: sheets.full,
      },
      pause,
    )
  }
}

/** The column of a cell such as `AB12`, from 0. */
function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  if (!letters) return null
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function cellOf(
  value: string,
  { type, style }: { type: string; style: string },
  strings: readonly string[],
  dates: Dates,
): Cell {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '1'
  if (type !== '' && type !== 'n') return value
  if (value === '') return null
  if (dates.styles.has(style)) return dateOf(Number(value), dates.is_1904)
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

const displayText = (cell: Cell): string =>
  typeof cell === 'boolean' ? String(cell).toUpperCase() : oneLine(String(cell ?? ''))

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The texts that cells refer to by number. Pronunciation hints are left out. */
async function sharedStrings({ parts, pause }: Target): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  let isText = false
  let hints = 0
  await readXml(
    parts.get('xl/sharedStrings.xml'),
    {
      open(name) {
        if (name === 'si') text = ''
        if (name === 'rPh') hints += 1
        isText = name === 't' && hints === 0
      },
      text(piece) {
        if (isText) text += piece
      },
      close(name) {
        isText = false
        if (name === 'rPh') hints -= 1
        if (name === 'si') strings.push(text)
      },
    },
    pause,
  )
  return strings
}

interface Dates {
  /** Indexes of the cell styles whose numbers are dates or times. */
  styles: ReadonlySet<string>
  /** Days are counted from 1904 instead of 1900. */
  is_1904: boolean
}

/** ECMA-376 part 1, 18.8.30: the built-in number formats of dates and times. */
const isBuiltInDate = (format: number) => (format >= 14 && format <= 22) || (format >= 45 && format <= 47)

/** Texts and colours in them are no parts of a date. */
const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(code.replace(/"[^"]*"?|\\.|\[[^\]]*\]?/g, ''))

async function dateStyles({ parts, pause }: Target): Promise<Dates> {
  const formats = new Set<string>()
  const styles = new Set<string>()
  let cellFormats = false
  let count = 0
  await readXml(
    parts.get('xl/styles.xml'),
    {
      open(name, { numFmtId = '', formatCode = '' }) {
        if (name === 'numFmt' && isDateFormat(formatCode)) formats.add(numFmtId)
        if (name === 'cellXfs') cellFormats = true
        if (name !== 'xf' || !cellFormats) return
        if (formats.has(numFmtId) || isBuiltInDate(Number(numFmtId))) styles.add(String(count))
        count += 1
      },
      close(name) {
        if (name === 'cellXfs') cellFormats = false
      },
    },
    pause,
  )
  let is_1904 = false
  await readXml(
    parts.get('xl/workbook.xml'),
    {
      open(name, { date1904 = '' }) {
        if (name === 'workbookPr') is_1904 = date1904 === '1' || date1904 === 'true'
      },
    },
    pause,
  )
  return { styles, is_1904 }
}

const day = 24 * 60 * 60 * 1000

/** A day number as `2026-01-31`, `2026-01-31 14:30` or `14:30`. */
function dateOf(days: number, is1904: boolean): string {
  const at = Date.UTC(1899, 11, 30) + (days + (is1904 ? 1_462 : 0)) * day
  if (!Number.isFinite(days) || Math.abs(at) > 8e15) return String(days)
  const [date = '', time = ''] = new Date(Math.round(at / 1000) * 1000).toISOString().split(/[TZ]/)
  const clock = time.replace(/(:00)?\.000$/, '')
  if (days < 1 && days >= 0) return clock
  return Number.isInteger(days) ? date : `${date} ${clock}`
}
