import { z } from 'zod'
import { reference } from '../references.ts'
import { iso } from '../time.ts'

/** Characters of a text or of JSON in a cell. */
const maxCell = 100_000
export const maxColumns = 64

const Type = z.enum(['text', 'number', 'boolean', 'date', 'json'])
export type Type = z.output<typeof Type>

export const Column = z.object({
  id: reference('column', 8)
    .optional()
    .meta({ description: 'Of a column that exists, so that it can be renamed', format: 'api-only' }),
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((name) => !/^(id|__proto__)$/i.test(name), 'must be another name: each row has an id already')
    .meta({ title: 'Name' }),
  type: Type.default('text').meta({
    title: 'Type',
    labels: { text: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date', json: 'JSON' },
  }),
})
export type Column = z.output<typeof Column> & { id: string }

export const Row = z.looseObject({ id: z.int() })
export type Row = z.output<typeof Row>

/** The values of a row by the names of its columns. */
export const Values = z.record(z.string().max(100), z.unknown())
export type Values = z.output<typeof Values>

/** What a cell is stored as; null is no value. */
export type Cell = string | number | null

/** A value that a column does not take. */
export class WrongValue extends Error {
  override name = 'WrongValue'
}

const texts = (pattern: RegExp) => (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) && pattern.test(String(value).trim())
const isTrue = texts(/^(true|yes|1)$/i)
const isFalse = texts(/^(false|no|0)$/i)
const isNumber = texts(/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i)
const Day = z.iso.date()
const Moment = z.iso.datetime({ offset: true })

const kinds: Record<Type, { article: string; store(value: unknown): Cell | undefined }> = {
  text: {
    article: 'a text',
    store: (value) => (['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined),
  },
  number: {
    article: 'a number',
    store: (value) =>
      typeof value !== 'boolean' && isNumber(value) && Number.isFinite(Number(value)) ? Number(value) : undefined,
  },
  boolean: {
    article: 'true or false',
    store: (value) => (isTrue(value) ? 1 : isFalse(value) ? 0 : undefined),
  },
  date: {
    article: 'a date such as 2026-01-31, or a time with its zone such as 2026-01-31T12:00:00Z',
    store(value) {
      if (Day.safeParse(value).success) return value as string
      return Moment.safeParse(value).success ? iso(Date.parse(value as string)) : undefined
    },
  },
  json: { article: 'JSON', store: (value) => JSON.stringify(value) },
}

/** What a value is stored as. A text is taken for what it says, because forms and CSV know nothing else. */
export function storedCell({ type }: Pick<Column, 'type'>, value: unknown): Cell {
  if (value === null || value === undefined || (value === '' && type !== 'text')) return null
  const { article, store } = kinds[type]
  const cell = store(value)
  if (cell === undefined) throw new WrongValue(`must be ${article}`)
  if (typeof cell === 'string' && cell.length > maxCell) throw new WrongValue(`must have at most ${maxCell} characters`)
  return cell
}

/** What a text of a CSV file is stored as. */
export function cellOfText({ type }: Pick<Column, 'type'>, text: string): Cell {
  if (text === '') return null
  if (type !== 'json') return storedCell({ type }, text)
  try {
    return storedCell({ type }, JSON.parse(text))
  } catch {
    throw new WrongValue('must be JSON')
  }
}

export function valueOfCell({ type }: Pick<Column, 'type'>, cell: Cell): unknown {
  if (cell === null) return null
  if (type === 'boolean') return cell === 1
  return type === 'json' ? JSON.parse(String(cell)) : cell
}

/** The type of which all texts are; the first that fits. */
export const typeOfTexts = (all: readonly string[]): Type =>
  (['number', 'boolean', 'date'] as const).find((type) =>
    all.every((text) => text === '' || kinds[type].store(text) !== undefined),
  ) ?? 'text'
