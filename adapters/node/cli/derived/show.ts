import { styleText } from 'node:util'
import type { JsonSchema } from '../../../../runtime/http/openapi/json-schema.ts'
import { plain } from '../command.ts'

export type Times = (text: string) => string

/** Columns of a table, in this order, as far as the rows have them. */
const preferred = (
  'id code name title display_name username label version action level status state enabled is_default ' +
  'score risk type kind platform role event_type trigger size_bytes mime_type ' +
  'iteration next_run_at last_status human_readable ' +
  'at received_at started_at scheduled_for created_at ' +
  'workflow_id job_id project_id loop_id agent_id channel_id device_id command ' +
  'section events url summary content description output error'
).split(' ')
/** Only the first of these that the rows have. */
const moments = ['at', 'received_at', 'started_at', 'scheduled_for', 'created_at']
const maxColumns = 8
const minColumns = 5

/** The columns for rows of this shape. A row that only wraps a thing shows that thing's columns. */
export function columnsOf({ properties = {} }: JsonSchema): string[] {
  const names = Object.keys(properties)
  const inner = names.filter((name) => properties[name]?.properties && !properties.id)
  const all = [
    ...names.filter((name) => isPlain(properties[name])),
    ...inner.flatMap((name) => columnsOf(properties[name] ?? {}).map((member) => `${name}.${member}`)),
  ]
  const rank = (name: string) => preferred.indexOf(name.split('.').at(-1) ?? '')
  const moment = moments.find((name) => all.includes(name))
  const columns = all
    .filter((name) => rank(name) >= 0 && (!moments.includes(name) || name === moment))
    .sort((a, b) => rank(a) - rank(b))
  return (columns.length > 1 ? columns : all).slice(0, maxColumns)
}

/**
 * The columns of a list: with few of the preferred ones, other plain fields follow. Rows with members that only they name,
 * such as those of a table, have theirs.
 */
export function listColumnsOf(row: JsonSchema, rows: readonly object[] = []): string[] {
  const columns = columnsOf(row)
  if (row.properties && row.additionalProperties) return Object.keys(rows[0] ?? row.properties)
  const others = Object.entries(row.properties ?? {})
    .filter(([name, shape]) => isPlain(shape) && !columns.includes(name) && !/_(id|at)$/.test(name))
    .map(([name]) => name)
  return [...columns, ...others].slice(0, Math.max(columns.length, minColumns))
}

const isPlain = (shape: JsonSchema = {}): boolean =>
  !shape.properties &&
  !shape.additionalProperties &&
  !(shape.anyOf ?? shape.oneOf ?? []).some((member) => !isPlain(member)) &&
  (shape.type !== 'array' || shape.items?.type === 'string')

/** `names`: of the things in the rows, by id. */
export function tableOf(
  rows: readonly object[],
  columns: readonly string[],
  times: Times,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const text = (row: object, column: string) => {
    const value = memberOf(row, column)
    return isReference.test(column) && names.has(String(value))
      ? cell(names.get(String(value)), times)
      : cellOf(column, value, times)
  }
  const lines = rows.map((row) => columns.map((column) => text(row, column)))
  const used = columns.map((_, at) => at).filter((at) => lines.some((line) => line[at] !== '–'))
  const titles = columns.map((column) => titleOf(column.split('.').at(-1) ?? '').toUpperCase())
  const width = process.stdout.isTTY ? process.stdout.columns : 400
  const widths = used.map((at) => Math.min(60, Math.max(...[titles, ...lines].map((line) => line[at]?.length ?? 0))))
  const lineOf = (line: readonly string[]) =>
    used
      .map((at, index) => (index === used.length - 1 ? (line[at] ?? '') : padded(line[at] ?? '', widths[index] ?? 0)))
      .join('  ')
      .slice(0, width)
      .trimEnd()
  return [styleText('bold', lineOf(titles)), ...lines.map(lineOf)].join('\n')
}

const padded = (text: string, width: number) =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)

const memberOf = (row: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row)

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const isSize = /(^|_)bytes$/

/** The id of another thing. */
export const isReference = /(?<=[a-z])_id$/

/** `total_bytes` is shown as `total`, with a unit, and `agent_id` as `agent`. */
const titleOf = (name: string): string => name.replace(/_(bytes|id)$/, '').replaceAll('_', ' ')

const cellOf = (name: string, value: unknown, times: Times): string =>
  isSize.test(name) && typeof value === 'number' ? sizeOf(value) : cell(value, times)

function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

function cell(value: unknown, times: Times): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000)
  if (Array.isArray(value)) return value.map((one) => cell(one, times)).join(', ') || '–'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, member]) => `${titleOf(name)}: ${cell(member, times)}`)
      .join(', ')
  const text = String(value)
  return isTime.test(text) ? times(text) : plain(text).replace(/\s+/g, ' ')
}

/** A thing as lines `field  value`; nested things are indented, lists of things are tables. Nothing is shown of what is absent. */
export function recordOf(thing: object, times: Times): string {
  const entries = Object.entries(thing)
    .filter(([, value]) => !isAbsent(value))
    .toSorted(([a, one], [b, other]) => Number(isNested(one)) - Number(isNested(other)) || rankOf(a) - rankOf(b))
  const width = Math.max(0, ...entries.filter(([, value]) => !isNested(value)).map(([name]) => titleOf(name).length))
  const lines = entries.map(([name, value]) => {
    const title = titleOf(name)
    if (isNested(value)) return `${styleText('bold', title)}\n${indented(nested(value, times))}`
    const text = typeof value === 'string' && !isTime.test(value) ? plain(value) : cellOf(name, value, times)
    return text.includes('\n') ? `${title}\n${indented(text)}` : `${title.padEnd(width)}  ${text}`
  })
  return lines.join('\n')
}

const leading = ['id', 'name', 'title', 'status']

const rankOf = (name: string): number =>
  leading.includes(name) ? leading.indexOf(name) : leading.length + Number(name.endsWith('_at'))

const isAbsent = (value: unknown): boolean =>
  value == null || value === '' || (typeof value === 'object' && Object.values(value).every(isAbsent))

const isNested = (value: unknown): value is object =>
  Array.isArray(value) ? typeof value[0] === 'object' : typeof value === 'object' && value !== null

const indented = (text: string) => text.replace(/^/gm, '  ')

function nested(value: object, times: Times): string {
  if (!Array.isArray(value)) return recordOf(value, times)
  const properties = Object.fromEntries(Object.entries(value[0] as object).map(([name, one]) => [name, shapeOf(one)]))
  return tableOf(value as object[], columnsOf({ properties }), times)
}

const shapeOf = (value: unknown): JsonSchema =>
  isNested(value) ? { type: Array.isArray(value) ? 'array' : 'object', properties: {} } : {}

/** The names of the things in a value, by id. */
export function namesIn(value: unknown, names = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) return names
  const { id, title, name } = value as { id?: unknown; title?: unknown; name?: unknown }
  if (typeof id === 'string' && (title ?? name)) names.set(id, String(title ?? name))
  for (const member of Object.values(value)) namesIn(member, names)
  return names
}

/** An event of a stream as one line: its name, then its data, with things by their names. */
export function eventLine(event: string, data: unknown, names: ReadonlyMap<string, string>, times: Times): string {
  if (typeof data !== 'object' || data === null) return `${event}  ${cell(data, times)}`
  const members = Object.entries(data).flatMap(([name, value]) =>
    isNested(value) && !Array.isArray(value) ? Object.entries(value) : [[name, value] as const],
  )
  const texts = members.flatMap(([name, value]) => {
    const thing = /(^|_)id$/.test(name) ? names.get(String(value)) : undefined
    if (thing !== undefined) return `${name.replace(/_?id$/, '') || 'name'}: ${cell(thing, times)}`
    const isShown = !isAbsent(value) && !isNested(value) && !/(^|_)id$/.test(name)
    return isShown ? `${name.replaceAll('_', ' ')}: ${cell(value, times)}` : []
  })
  return [event, ...texts].join('  ')
}
