import { parsedDate } from './dates.ts'
import { ExpressionError } from './extensions.ts'

/** Conversions and comparisons of imported workflows, with the rules of n8n. */

type Conversion = (value: unknown) => unknown

function toBoolean(value: unknown): unknown {
  const text = String(value).trim().toLowerCase()
  if (text === 'true' || text === 'false') return text === 'true'
  const number = text === '' && typeof value === 'string' ? Number.NaN : Number(value)
  return number === 0 ? false : number === 1 ? true : undefined
}

/** JSON, also with single quotes, bare names and commas at the end, as people write it, unless it is to be strict. */
export function parseLoosely(text: string, isStrict = false): unknown {
  const mended = text
    .replaceAll("'", '"')
    .replace(/(?:"|(?<!\w))(\w+)"?\s*:/g, '"$1":')
    .replace(/,\s*([\]}])/g, '$1')
  for (const json of isStrict ? [text] : [text, mended])
    try {
      return JSON.parse(json)
    } catch {}
  return undefined
}

const isList = Array.isArray
const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null && !isList(value)
const parsed = (value: unknown): unknown => (typeof value === 'string' ? parseLoosely(value) : value)
const only = (is: (value: unknown) => boolean) => (value: unknown) => (is(value) ? value : undefined)

/** By type: undefined for a value that has no such form. */
const conversions: Readonly<Record<string, Conversion>> = {
  string: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  number: (value) => (Number.isNaN(Number(value)) ? undefined : Number(value)),
  boolean: toBoolean,
  dateTime: (value) => parsedDate(value),
  array: (value) => only(isList)(parsed(value)),
  object: (value) => only(isPlain)(parsed(value)),
}

const hasType = (value: unknown, type: string): boolean =>
  type === 'array' ? isList(value) : type === 'object' ? isPlain(value) : type === 'dateTime' || typeof value === type

const shown = (value: unknown): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 200)

/** A value as a type. Missing values stay. */
export function converted(value: unknown, type: string, isStrict = false): unknown {
  const conversion = Object.hasOwn(conversions, type) ? conversions[type] : undefined
  if (!conversion || value === undefined || value === null) return value
  if (type === 'number' && Number.isNaN(value)) return value
  const result = isStrict && !hasType(value, type) ? undefined : conversion(value)
  if (result !== undefined) return result
  throw new ExpressionError(`"${shown(value)}" is not of the type ${type}`)
}

// biome-ignore lint/suspicious/noExplicitAny: each operation knows the type of its sides
type Side = any
type Operation = (left: Side, right: Side, ignoreCase: boolean) => boolean

const isMissing = (value: unknown) => value === undefined || value === null || Number.isNaN(value)
const empties = { empty: isMissing, notEmpty: (value: unknown) => !isMissing(value) }
const equality: Record<string, Operation> = {
  equals: (left, right) => left === right,
  notEquals: (left, right) => left !== right,
}

function pattern(text: string): RegExp {
  const [, source, flags] = /^\/(.*?)\/([gimusy]*)$/.exec(text) ?? []
  return source === undefined ? new RegExp(text) : new RegExp(source, flags)
}

function includes(list: unknown[], value: unknown, ignoreCase: boolean): boolean {
  if (!ignoreCase || typeof value !== 'string') return list.includes(value)
  return list.some((item) => typeof item === 'string' && item.toLowerCase() === value.toLowerCase())
}

/** Adds the opposite of each operation, as `notContains` of `contains`. */
function withOpposites(operations: Record<string, Operation>): Record<string, Operation> {
  const opposites = Object.entries(operations).map(([name, operation]): [string, Operation] => [
    `not${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    (...sides) => !operation(...sides),
  ])
  return { ...operations, ...Object.fromEntries(opposites) }
}

const texts = withOpposites({
  empty: (left) => left === '',
  equals: (left, right) => left === right,
  contains: (left, right) => left.includes(right),
  startsWith: (left, right) => left.startsWith(right),
  endsWith: (left, right) => left.endsWith(right),
  regex: (left, right) => pattern(right).test(left),
})

const order: Record<string, Operation> = {
  gt: (left, right) => left > right,
  lt: (left, right) => left < right,
  gte: (left, right) => left >= right,
  lte: (left, right) => left <= right,
}

const dates: Record<string, Operation> = {
  ...equality,
  after: (left, right) => left > right,
  before: (left, right) => left < right,
  afterOrEquals: (left, right) => left >= right,
  beforeOrEquals: (left, right) => left <= right,
}

const lengths = Object.fromEntries(
  Object.entries({ ...equality, ...order }).map(([name, operation]): [string, Operation] => [
    `length${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    (list, right) => operation(list.length, right, false),
  ]),
)

const isEmptyObject: Operation = (value) => !value || Object.keys(value).length === 0

/** By type and name. */
const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  string: texts,
  number: { ...equality, ...order, ...empties },
  boolean: { ...equality, ...empties, true: (left) => Boolean(left), false: (left) => !left },
  dateTime: { ...dates, ...empties },
  array: { ...withOpposites({ contains: includes, empty: (list) => list.length === 0 }), ...lengths },
  object: withOpposites({ empty: isEmptyObject }),
}

const text = (value: unknown): string => String(value || '')
const zero = (value: Side) => value || 0
const isBlank: Operation = (value) =>
  isMissing(value) ||
  value === '' ||
  (typeof value === 'object' && !(value instanceof Date) && isEmptyObject(value, null, false))

/** Operations of version 1, which converts nothing. */
const older: Readonly<Record<string, Operation>> = {
  equal: (left, right) => left === right,
  notEqual: (left, right) => left !== right,
  larger: (left, right) => zero(left) > zero(right),
  largerEqual: (left, right) => zero(left) >= zero(right),
  smaller: (left, right) => zero(left) < zero(right),
  smallerEqual: (left, right) => zero(left) <= zero(right),
  after: (left, right) => zero(left) > zero(right),
  before: (left, right) => zero(left) < zero(right),
  contains: (left, right) => text(left).includes(text(right)),
  notContains: (left, right) => !text(left).includes(text(right)),
  startsWith: (left, right) => left.startsWith(right),
  notStartsWith: (left, right) => !left.startsWith(right),
  endsWith: (left, right) => left.endsWith(right),
  notEndsWith: (left, right) => !left.endsWith(right),
  regex: (left, right) => pattern(text(right)).test(text(left)),
  notRegex: (left, right) => !pattern(text(right)).test(text(left)),
  isEmpty: isBlank,
  isNotEmpty: (value) => !isBlank(value, null, false),
}

export interface Comparison {
  type?: string
  operation: string
  right_type?: string
  strict?: boolean
  ignore_case?: boolean
  /** Of the conditions; 0 for those of the first version of a node. */
  version?: number
}

/** Whether a comparison is true. A value of another type is an error if it is strict or cannot be converted. */
export function compared(left: unknown, right: unknown, comparison: Comparison): boolean {
  const { type = 'string', operation, right_type = type, strict, version = 1 } = comparison
  if (version === 0) return comparedAsBefore(left, right, comparison)
  const convert = (value: unknown, as: string): unknown => {
    // Later versions read an empty text as no number.
    if (as === 'number' && version >= 3 && value === '') return null
    if (as !== 'boolean' || strict || value === undefined || value === null) return converted(value, as, strict)
    return (version >= 2 ? toBoolean(value) : undefined) ?? Boolean(value)
  }
  const own = convert(left, type)
  if (operation === 'exists' || operation === 'notExists') return isMissing(own) === (operation === 'notExists')
  const ofType = Object.hasOwn(operations, type) ? operations[type] : undefined
  const rule = ofType && Object.hasOwn(ofType, operation) ? ofType[operation] : undefined
  if (!rule) throw new ExpressionError(`There is no comparison ${type} ${operation}`)
  const other =
    Object.hasOwn(empties, operation) || (type === 'boolean' && ['true', 'false'].includes(operation))
      ? null
      : convert(right, right_type)
  if (type === 'dateTime' && !Object.hasOwn(empties, operation)) {
    if (!own || !other) return false
    return rule(Number(own), Number(other), false)
  }
  const ignoreCase = comparison.ignore_case === true
  if (type === 'array') return rule(own ?? [], other, ignoreCase)
  if (type !== 'string') return rule(own, other, false)
  const isPattern = operation === 'regex' || operation === 'notRegex'
  const lower = (value: unknown) => (ignoreCase ? String(value ?? '').toLowerCase() : (value ?? ''))
  return rule(lower(own), isPattern ? (other ?? '') : lower(other), false)
}

function comparedAsBefore(left: unknown, right: unknown, { type, operation }: Comparison): boolean {
  const rule = Object.hasOwn(older, operation) ? older[operation] : undefined
  if (!rule) throw new ExpressionError(`There is no comparison ${operation}`)
  if (type !== 'dateTime') return rule(left, right, false)
  const time = (value: unknown): number => {
    const millis = typeof value === 'string' ? Date.parse(value) : Number(value)
    if (!Number.isNaN(millis)) return millis
    throw new ExpressionError(`"${shown(value)}" is not a date`)
  }
  return rule(time(left), time(right), false)
}
