import { pretty } from '../json.ts'
import { labelOf } from '../text.ts'
import { isInput } from '../tool-input.tsx'

/** The JSON Schema of a value, with the metadata of its form field. */
export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  /** After a number, such as `seconds`. */
  unit?: string
  format?: string
  /** What a text refers to, such as an agent; `multiline`, `json` or `schedule`. */
  'x-format'?: string
  /** The whole text is code in this language. */
  'x-language'?: 'jsonata' | 'javascript' | 'sql'
  /** Of values of `enum`, or of the kinds of an alternative; `null` is the label of no value. */
  labels?: Record<string, string>
  /** What each value of `enum` means: the choice is a list of cards. */
  hints?: Record<string, string>
  /** Of a number, by an arrow key. */
  step?: number
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}

export type Values = Record<string, unknown>
export type Errors = Readonly<Record<string, string>>

export const formatOf = (schema: Schema): string => schema['x-format'] ?? schema.format ?? ''

/** A schema without `null` as an alternative, and whether that was one. */
export function plainOf(schema: Schema): Plain {
  const plain = plains.get(schema) ?? withoutNull(schema)
  plains.set(schema, plain)
  return plain
}

type Plain = { schema: Schema; nullable: boolean }
const plains = new WeakMap<Schema, Plain>()

function withoutNull(schema: Schema): Plain {
  const variants = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null')
  const { anyOf, oneOf, ...outer } = schema
  const nullable = variants !== undefined && variants.length < (anyOf ?? oneOf ?? []).length
  const [first] = variants ?? []
  if (!first || !variants || kindOf(schema)) return { schema, nullable }
  const values = variants.flatMap((variant) => (variant.const === undefined ? [] : [variant.const]))
  if (values.length === variants.length) return { schema: { ...outer, type: 'string', enum: values }, nullable }
  if (variants.length === 1) return { schema: { ...first, ...outer }, nullable }
  // A number or a text that computes it: the field of the number has a button for the text.
  const plain = variants.find(({ type }) => type !== 'string') ?? first
  return { schema: plain.type === 'object' ? outer : { ...plain, ...outer }, nullable }
}

/** The member that tells alternatives apart, such as `kind`. */
export function kindOf({ anyOf, oneOf }: Schema): string | undefined {
  const variants = (oneOf ?? anyOf)?.filter(({ type }) => type !== 'null')
  const names = Object.keys(variants?.[0]?.properties ?? {})
  return names.find((name) => variants?.every(({ properties }) => properties?.[name]?.const !== undefined))
}

/** A schema that allows any value. */
export const isAny = ({ type, enum: choices, properties, items, anyOf, oneOf }: Schema): boolean =>
  [type, choices, properties, items, anyOf, oneOf].every((part) => part === undefined)

/** The values of an enum by their labels, in the order of the labels. */
export function optionsOfEnum(values: readonly unknown[], labels: Record<string, string> = {}) {
  const texts = values.map(String)
  const ordered = new Set([...Object.keys(labels).filter((value) => texts.includes(value)), ...texts])
  return [...ordered].map((value) => ({ value, label: labels[value] ?? labelOf(value) }))
}

/** The messages of the members of `name`. */
export function below(errors: Errors, name: string): Errors {
  const own = Object.entries(errors).filter(([path]) => path.startsWith(`${name}.`))
  // The same object each time, so that a field without messages is not drawn again.
  return own.length === 0
    ? none
    : Object.fromEntries(own.map(([path, message]) => [path.slice(name.length + 1), message]))
}

const none: Errors = {}

/** Messages of members without fields of their own, by the name of the member: `name: must be lower case`. */
export const messageOf = (errors: Errors): string | undefined =>
  Object.entries(errors)
    .map(([path, message]) => (Number.isNaN(Number(path)) ? `${path}: ${message}` : message))
    .join('. ') || undefined

/** The members of `after` that differ from `before`; of a group only its members that differ. */
export function changesOf(schema: Schema, before: Values, after: Values): Values {
  const changes: Values = {}
  for (const [name, value] of Object.entries(after)) {
    if (same(value, before[name])) continue
    const member = schema.properties?.[name]
    const isGroup = member?.properties && !member.format && isInput(value) && isInput(before[name])
    changes[name] = isGroup ? changesOf(member, before[name] as Values, value) : value
  }
  return changes
}

/** The values after changes. */
export const merged = (before: Values, changes: Values): Values => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(changes).map(([name, value]) => {
      const old = before[name]
      return [name, isInput(old) && isInput(value) ? merged(old, value) : value]
    }),
  ),
})

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export const textOfAny = (value: unknown): string => (typeof value === 'string' ? value : pretty(value))

/** Text is text; what begins like an object or a list is read as JSON. */
export function anyOfText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.includes('{{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What applies if the field is empty. */
export const placeholderOf = ({ default: usual, labels }: Schema, nullable: boolean): string | undefined =>
  usual === undefined || usual === null ? (labels?.null ?? (nullable ? 'Default' : undefined)) : textOfAny(usual)
