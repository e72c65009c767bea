import { z } from 'zod'

type RawIssue = z.core.$ZodRawIssue

/**
 * Describes what a schema accepts, worded to follow the field's name: "must be an integer from 1 to 200". A
 * message written in the schema itself takes precedence.
 */
function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeName(issue.expected, issue.schema)}`
    case 'too_small':
    case 'too_big':
      return describeSize(issue)
    case 'invalid_value':
      return `must be ${alternatives(issue.values)}`
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong format'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `does not have the ${issue.keys.length > 1 ? 'fields' : 'field'} ${issue.keys.join(', ')}`
    case 'invalid_union':
      return describeUnion(issue)
    case 'invalid_key':
      return `has a name that is not accepted: it ${issue.issues[0]?.message ?? 'is invalid'}`
  }
}

const formats: Record<string, string> = {
  datetime: 'must be a time in ISO 8601, such as 2026-01-05T09:00:00Z',
  date: 'must be a date such as 2026-01-05',
  email: 'must be an email address',
  url: 'must be a URL such as https://example.com',
  base64: 'must be base64',
}

const typeNames: Record<string, string> = {
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

const typeName = (expected: string, schema: unknown): string =>
  schema instanceof z.ZodNumber ? numberName(schema) : (typeNames[expected] ?? expected)

function numberName({ minValue, maxValue, isInt, def }: z.ZodNumber): string {
  const name = isInt ? 'an integer' : 'a number'
  const isOpen = def.checks?.some(({ _zod }) => 'inclusive' in _zod.def && _zod.def.inclusive === false)
  if (isOpen) return name
  const low = limit(minValue)
  const high = limit(maxValue)
  if (low === null) return high === null ? name : `${name} of at most ${high}`
  return high === null ? `${name} of at least ${low}` : `${name} from ${low} to ${high}`
}

/** Null for the bounds of safe integers, which every integer has. */
const limit = (value: number | null): number | null =>
  value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? null : value

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item', map: 'pair' }

function describeSize(issue: RawIssue & { code: 'too_small' | 'too_big' }): string {
  const { schema, origin, inclusive } = issue
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum
  const unit = units[origin]
  if (unit && issue.code === 'too_small' && bound === 1) return 'must not be empty'
  if (unit)
    return `must have ${issue.code === 'too_small' ? 'at least' : 'at most'} ${bound} ${unit}${bound === 1 ? '' : 's'}`
  if (!inclusive) return `must be ${issue.code === 'too_small' ? 'greater' : 'less'} than ${bound}`
  return `must be ${typeName(origin, schema)}`
}

function describeUnion(issue: RawIssue & { code: 'invalid_union' }): string {
  if (Array.isArray(issue.options)) return `must be ${alternatives(issue.options)}`
  const accepted = issue.errors.map(([first]) => /^must be (.+)/.exec(first?.message ?? '')?.[1])
  return accepted.length > 0 && issue.errors.every(([first]) => first?.path.length === 0) && accepted.every(Boolean)
    ? `must be ${[...new Set(accepted)].join(', or ')}`
    : 'has none of the accepted forms'
}

const alternatives = (values: readonly unknown[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(values.map(String))

/** Options for parsing what a person or a program has sent. */
export const readable = { error: describeIssue }
