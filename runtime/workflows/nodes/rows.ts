import { isRecord } from '../../values.ts'
import { itemsOf } from '../items.ts'
import { permanentError } from '../node-type.ts'

export type Row = Record<string, unknown>

/** The fields of an item; another value is the field `value`. */
export const fieldsOf = (item: unknown): Row => (isRecord(item) ? item : { value: item })

/** The rows to write: one by column, or a list. */
export const requireRows = (value: unknown): Row[] => itemsOf(value).map(requireRow)

function requireRow(value: unknown): Row {
  if (isRecord(value)) return value
  throw permanentError('invalid_params', 'A row must be an object with its values by column')
}
