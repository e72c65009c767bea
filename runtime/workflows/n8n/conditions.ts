import { NotExact } from './script.ts'

/** A value of n8n as a JSONata expression. */
export type Expression = (value: unknown) => string

interface Condition {
  leftValue?: unknown
  rightValue?: unknown
  operator?: { type?: string; operation?: string }
}

interface Conditions {
  conditions?: Condition[]
  combinator?: string
}

type Rule = (left: string, right: string) => string

/** By operation. Names of older versions are in `older`. */
const operations: Readonly<Record<string, Rule>> = {
  equals: (left, right) => `${left} = ${right}`,
  notEquals: (left, right) => `${left} != ${right}`,
  contains: (left, right) => `$contains($string(${left}), ${right})`,
  notContains: (left, right) => `$not($contains($string(${left}), ${right}))`,
  startsWith: (left, right) => `$substring(${left}, 0, $length(${right})) = ${right}`,
  endsWith: (left, right) => `$substring(${left}, -$length(${right})) = ${right}`,
  gt: (left, right) => `${left} > ${right}`,
  lt: (left, right) => `${left} < ${right}`,
  gte: (left, right) => `${left} >= ${right}`,
  lte: (left, right) => `${left} <= ${right}`,
  exists: (left) => `$exists(${left}) and ${left} != null`,
  notExists: (left) => `$not($exists(${left}) and ${left} != null)`,
  empty: (left) => `$not($boolean(${left}))`,
  notEmpty: (left) => `$boolean(${left})`,
  true: (left) => `${left} = true`,
  false: (left) => `${left} = false`,
}

const older: Readonly<Record<string, string>> = {
  equal: 'equals',
  notEqual: 'notEquals',
  larger: 'gt',
  largerEqual: 'gte',
  smaller: 'lt',
  smallerEqual: 'lte',
  isEmpty: 'empty',
  isNotEmpty: 'notEmpty',
  after: 'gt',
  before: 'lt',
}

function one(operation: string, left: string, right: string): string {
  const rule = operations[older[operation] ?? operation]
  if (!rule) throw new NotExact(`the comparison ${operation} has no equivalent`)
  return `(${rule(left, right)})`
}

const combine = (parts: readonly string[], word: string): string =>
  parts.length === 0 ? 'true' : parts.join(` ${word} `)

/** The expression of a group of conditions, in the form of either version. */
export function conditionExpression(given: unknown, any: boolean, toExpression: Expression): string {
  const group = (given ?? {}) as Conditions & Record<string, unknown>
  if (Array.isArray(group.conditions)) {
    const parts = group.conditions.map(({ leftValue, rightValue, operator }) =>
      one(operator?.operation ?? 'equals', toExpression(leftValue), toExpression(rightValue)),
    )
    return combine(parts, group.combinator === 'or' ? 'or' : 'and')
  }
  const parts = ['string', 'number', 'boolean', 'dateTime'].flatMap((type) => {
    const list = group[type]
    if (!Array.isArray(list)) return []
    return list.map(({ value1, value2, operation }: Record<string, unknown>) =>
      one(
        String(operation ?? (type === 'number' ? 'smaller' : 'equal')),
        toExpression(value1),
        toExpression(value2),
      ),
    )
  })
  return combine(parts, any ? 'or' : 'and')
}

/** The expression of a rule of an older switch, which compares one value. */
export const ruleExpression = (
  { operation, value2 }: { operation?: unknown; value2?: unknown },
  left: string,
  toExpression: Expression,
): string => one(String(operation ?? 'equal'), left, toExpression(value2))
