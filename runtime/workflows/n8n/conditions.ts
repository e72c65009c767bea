import { ownValue } from '../../own-value.ts'
import { NotExact } from './script.ts'

/** A value of n8n as a JSONata expression. */
export type Expression = (value: unknown) => string

type Type = 'string' | 'number' | 'boolean' | 'dateTime' | 'array' | 'object' | 'any'

/** What a comparison may use. Its values are expressions in which every operator is in brackets. */
interface Sides {
  left: string
  right(): string
  /** Texts are compared without their case. */
  ignoreCase: boolean
}

type Rule = (sides: Sides) => string

const missing = (value: string) => `($not($exists(${value})) or ${value} = null)`
const not = (condition: string) => `$not(${condition})`
/** Also true where the condition has no value, as a comparison with a missing field has not. */
const untrue = (condition: string) => `((${condition}) ? false : true)`
const isLiteral = (value: string) => /^(?:"|-?\d|(?:true|false|null)$)/.test(value)
const isText = (expression: string) => expression.startsWith('"')
const orEmpty = (value: string) => (isText(value) ? value : `(${missing(value)} ? "" : ${value})`)
const orZero = (value: string) => (/^-?\d/.test(value) ? value : `(${value} ? ${value} : 0)`)

const lower = (value: string) =>
  isText(value) ? JSON.stringify((JSON.parse(value) as string).toLowerCase()) : `$lowercase(${value})`

const compared = ({ left, right, ignoreCase }: Sides) =>
  ignoreCase ? { left: lower(left), right: lower(right()) } : { left, right: right() }

/** n8n reads a missing text as an empty one, which matters only if the other side may be empty. */
function sameText(sides: Sides): string {
  const { left, right } = compared(sides)
  return isText(right) && right !== '""' ? `${left} = ${right}` : `${orEmpty(left)} = ${orEmpty(right)}`
}

function contains(sides: Sides): string {
  const { left, right } = compared(sides)
  return `$contains($string(${left}), ${isText(right) ? right : `$string(${right})`})`
}

function startsWith(sides: Sides): string {
  const { left, right } = compared(sides)
  return `$substring(${left}, 0, $length(${right})) = ${right}`
}

function endsWith(sides: Sides): string {
  const { left, right } = compared(sides)
  return right === '""' ? 'true' : `${right} = "" or $substring(${left}, -$length(${right})) = ${right}`
}

const texts: Readonly<Record<string, Rule>> = {
  equals: sameText,
  notEquals: (sides) => not(sameText(sides)),
  contains,
  notContains: (sides) => untrue(contains(sides)),
  startsWith,
  notStartsWith: (sides) => not(startsWith(sides)),
  endsWith,
  notEndsWith: (sides) => not(endsWith(sides)),
  empty: ({ left }) => `${orEmpty(left)} = ""`,
  notEmpty: ({ left }) => not(`${orEmpty(left)} = ""`),
}

const between =
  (sign: string, as = (value: string) => value): Rule =>
  ({ left, right }) =>
    `${as(left)} ${sign} ${as(right())}`

/** `===`; in JSONata two missing values are not equal. */
const same: Rule = ({ left, right }) => {
  const other = right()
  const equal = `${left} = ${other}`
  if (isLiteral(left) || isLiteral(other)) return equal
  return `${equal} or $not($exists(${left}) or $exists(${other}))`
}

const equality = (equals: Rule): Record<string, Rule> => ({
  equals,
  notEquals: (sides) => not(equals(sides)),
  empty: ({ left }) => missing(left),
  notEmpty: ({ left }) => not(missing(left)),
})

const millis = (value: string) => `$toMillis(${value})`
const count = (value: string) => `$count(${value})`
const lengthIs =
  (sign: string): Rule =>
  ({ left, right }) =>
    `${count(left)} ${sign} ${right()}`

const isIn = (sides: Sides) => `${compared({ ...sides, left: '""' }).right} in ${sides.left}`
const hasMembers = ({ left }: Sides) => `$count($keys(${left})) > 0`

/** By type and operation of version 2. */
const operations: Readonly<Record<Type, Readonly<Record<string, Rule>>>> = {
  string: texts,
  number: {
    ...equality(same),
    gt: between('>'),
    lt: between('<'),
    gte: between('>='),
    lte: between('<='),
  },
  boolean: {
    ...equality(same),
    true: ({ left }) => `${left} = true`,
    false: ({ left }) => not(`${left} = true`),
  },
  dateTime: {
    ...equality(between('=', millis)),
    ...{ after: between('>', millis), before: between('<', millis) },
    ...{ afterOrEquals: between('>=', millis), beforeOrEquals: between('<=', millis) },
  },
  array: {
    contains: isIn,
    notContains: (sides) => untrue(isIn(sides)),
    lengthEquals: lengthIs('='),
    lengthNotEquals: lengthIs('!='),
    lengthGt: lengthIs('>'),
    lengthLt: lengthIs('<'),
    lengthGte: lengthIs('>='),
    lengthLte: lengthIs('<='),
    empty: ({ left }) => `${count(left)} = 0`,
    notEmpty: ({ left }) => `${count(left)} > 0`,
  },
  object: { empty: (sides) => not(hasMembers(sides)), notEmpty: hasMembers },
  any: {},
}

const always: Readonly<Record<string, Rule>> = {
  exists: ({ left }) => not(missing(left)),
  notExists: ({ left }) => missing(left),
}

const noValue: Rule = ({ left }) => `${missing(left)} or ${left} = "" or ${left} = [] or ${left} = {}`

/** Operations of version 1, which compares with `===` and `value || 0`. */
const older: Readonly<Record<string, Rule>> = {
  equal: same,
  notEqual: (sides) => not(same(sides)),
  larger: between('>', orZero),
  largerEqual: between('>=', orZero),
  smaller: between('<', orZero),
  smallerEqual: between('<=', orZero),
  contains,
  notContains: (sides) => untrue(contains(sides)),
  startsWith,
  endsWith,
  isEmpty: noValue,
  isNotEmpty: (sides) => not(noValue(sides)),
  after: between('>', millis),
  before: between('<', millis),
}

/** Operations of version 1 that order their sides. */
const orders = new Set(['larger', 'largerEqual', 'smaller', 'smallerEqual'])

const isNumber = (value: string) => /^-?\d/.test(value)

/** `Number(value)`; missing values and null stay. */
export const asNumber = (value: string, empty = '0') =>
  `($v := ${value}; $not($exists($v)) or $v = null ? $v : $type($v) != "string" ? $number($v) : $trim($v) = "" ? ${empty} : $number($trim($v)))`

/** A value that a strict comparison takes as it is; one of another type is an error, as in n8n. */
const onlyNumber = (value: string) =>
  `($v := ${value}; $exists($v) and $not($type($v) in ["number", "null"]) ? $error("The value is not a number") : $v)`

/** What n8n leaves out of a file because it is the default, by type of version 1. */
const defaults: Readonly<Record<string, { value: unknown; operation: string }>> = {
  string: { value: '', operation: 'equal' },
  number: { value: 0, operation: 'smaller' },
  boolean: { value: false, operation: 'equal' },
  dateTime: { value: '', operation: 'after' },
}

/** A literal text of n8n as a number or boolean, if that is its type. */
export function literal(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string' || value.startsWith('=')) return value
  const text = value.trim()
  if (type === 'number' && text !== '' && !Number.isNaN(Number(text))) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return value
}

/** An expression that can be an operand of any operator. */
const atom = (expression: string) =>
  /^(?:"(?:[^"\\]|\\.)*"|-?\d[\d.]*|[A-Za-z_][\w.]*)$/.test(expression) ? expression : `(${expression})`

function rule(found: Rule | undefined, operation: string, sides: Sides): string {
  if (!found) throw new NotExact(`the comparison ${operation} has no equivalent`)
  return `(${found(sides)})`
}

interface Condition {
  leftValue?: unknown
  rightValue?: unknown
  operator?: { type?: string; operation?: string }
}

interface Conditions {
  conditions?: Condition[]
  combinator?: string
  options?: { caseSensitive?: unknown; typeValidation?: unknown; version?: unknown }
}

const isExpression = (value: unknown) => typeof value === 'string' && value.startsWith('=')

/** How less strict comparisons convert a value, by type. Missing values and null stay. */
function loose(type: string, version: number): ((value: string) => string) | undefined {
  if (type === 'number') return (value) => atom(asNumber(value, version >= 3 ? 'null' : '0'))
  if (type === 'string') return (value) => `(${missing(value)} ? ${value} : $string(${value}))`
  if (type !== 'boolean') return undefined
  // Version 1 is `Boolean(value)`; later ones read texts and numbers first.
  return (value) => {
    const isFalse =
      version >= 2
        ? `$lowercase($string(${value})) in ["", "0", "false"] or ${value} = []`
        : `${value} in ["", 0, false]`
    return `(${missing(value)} ? ${value} : $not(${isFalse}))`
  }
}

/** A number as text is never equal to a number, and taking it as different would choose the other branch. */
const strict = (type: string, operation: string) =>
  type === 'number' && (operation === 'equals' || operation === 'notEquals') ? onlyNumber : undefined

function newer(
  { leftValue, rightValue, operator }: Condition,
  { options }: Conditions,
  toExpression: Expression,
) {
  const { type = 'string', operation = 'equals' } = operator ?? {}
  // A file without the option converts, like the less strict comparisons.
  const isStrict = options?.typeValidation === 'strict'
  const convert = isStrict ? strict(type, operation) : loose(type, Number(options?.version ?? 1))
  const side = (value: unknown) => {
    const isConverted = type === 'boolean' && !isStrict ? typeof value !== 'boolean' : isExpression(value)
    if (convert && isConverted) return convert(atom(toExpression(value)))
    return atom(toExpression(literal(value, type)))
  }
  const sides = {
    left: ownValue(always, operation) ? atom(toExpression(leftValue)) : side(leftValue),
    right: () => side(rightValue ?? ''),
    ignoreCase:
      (type === 'string' || type === 'array') &&
      options?.caseSensitive !== true &&
      typeof literal(rightValue, type) === 'string',
  }
  const found = ownValue(always, operation) ?? ownValue(ownValue(operations, type) ?? {}, operation)
  return rule(found, operation, sides)
}

/** A comparison of version 1. */
export function olderExpression(
  type: string,
  { value1, value2, operation }: { value1?: unknown; value2?: unknown; operation?: unknown },
  toExpression: Expression,
): string {
  const known = ownValue(defaults, type) ?? { value: '', operation: 'equal' }
  const side = (value: unknown) => atom(toExpression(literal(value ?? known.value, type)))
  const name = String(operation ?? known.operation)
  const [left, right] = [side(value1), side(value2)]
  // Beside a number, JavaScript converts the other side of an order.
  const isNumeric = orders.has(name) && (isNumber(left) || isNumber(right))
  const as = (value: string) => (isNumeric && !isNumber(value) ? atom(asNumber(value)) : value)
  return rule(ownValue(older, name), name, { left: as(left), right: () => as(right), ignoreCase: false })
}

const combine = (parts: readonly string[], word: string): string =>
  parts.length === 0 ? 'true' : parts.join(` ${word} `)

/** The expression of a group of conditions, in the form of either version. */
export function conditionExpression(given: unknown, any: boolean, toExpression: Expression): string {
  const group = (given ?? {}) as Conditions & Record<string, unknown>
  if (Array.isArray(group.conditions)) {
    const parts = group.conditions.map((condition) => newer(condition, group, toExpression))
    return combine(parts, group.combinator === 'or' ? 'or' : 'and')
  }
  const parts = Object.keys(defaults).flatMap((type) => {
    const list = group[type]
    return Array.isArray(list)
      ? list.map((one: Record<string, unknown>) => olderExpression(type, one, toExpression))
      : []
  })
  return combine(parts, any ? 'or' : 'and')
}
