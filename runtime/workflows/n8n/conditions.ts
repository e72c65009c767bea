import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { codeOf } from './texts.ts'

interface Condition {
  leftValue?: unknown
  rightValue?: unknown
  operator?: { type?: string; operation?: string; rightType?: string; singleValue?: boolean }
}

interface Conditions {
  conditions?: Condition[]
  combinator?: string
  options?: { caseSensitive?: unknown; typeValidation?: unknown; version?: unknown }
}

/** What n8n leaves out of a file because it is the default, by type of version 1. */
const defaults: Readonly<Record<string, { value: unknown; operation: string }>> = {
  boolean: { value: false, operation: 'equal' },
  dateTime: { value: '', operation: 'after' },
  number: { value: 0, operation: 'smaller' },
  string: { value: '', operation: 'equal' },
}

/** A literal text as a number or boolean, if that is its type. */
export function literal(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string' || value.startsWith('=')) return value
  const text = value.trim()
  if (type === 'number' && text !== '' && !Number.isNaN(Number(text))) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return value
}

function newer({ leftValue, rightValue, operator = {} }: Condition, { options = {} }: Conditions): string {
  const { type = 'string', operation = 'equals', singleValue } = operator
  const usual = type !== 'array' ? type : operation.startsWith('length') ? 'number' : 'any'
  const { rightType = usual } = operator
  const comparison = {
    type,
    operation,
    ...(rightType === type ? {} : { right_type: rightType }),
    ...(options.typeValidation === 'strict' ? { strict: true } : {}),
    ...(options.caseSensitive === true ? {} : { ignore_case: true }),
    version: Number(options.version ?? 1),
  }
  const right = singleValue ? '' : `, ${codeOf(literal(rightValue ?? '', rightType))}`
  return `$compare(${codeOf(literal(leftValue, type))}, ${JSON.stringify(comparison)}${right})`
}

/** A comparison of version 1, in code. */
export function olderCode(
  type: string,
  { value1, value2, operation }: { value1?: unknown; value2?: unknown; operation?: unknown },
): string {
  const usual = ownValue(defaults, type) ?? { value: '', operation: 'equal' }
  const side = (value: unknown) => codeOf(literal(value ?? usual.value, type))
  const comparison = { type, operation: String(operation ?? usual.operation), version: 0 }
  return `$compare(${side(value1)}, ${JSON.stringify(comparison)}, ${side(value2)})`
}

const combined = (parts: readonly string[], any: boolean, empty: boolean): string =>
  parts.length === 0 ? String(empty) : parts.join(any ? ' || ' : ' && ')

/** The expression of a group of conditions, in the form of either version. */
export function conditionExpression(value: unknown, any = false): string {
  const group = (value ?? {}) as Conditions & Record<string, unknown>
  if (Array.isArray(group.conditions)) {
    const isAny = group.combinator === 'or'
    return scriptExpression(
      combined(
        group.conditions.map((one) => newer(one, group)),
        isAny,
        !isAny,
      ),
    )
  }
  const parts = Object.keys(defaults).flatMap((type) => {
    const list = group[type]
    return Array.isArray(list) ? list.map((one: Record<string, unknown>) => olderCode(type, one)) : []
  })
  return scriptExpression(combined(parts, any, !any))
}
