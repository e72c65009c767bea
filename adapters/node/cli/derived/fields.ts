import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { type JsonSchema, toJsonSchema } from '../../../../runtime/http/openapi/json-schema.ts'
import { labelOf } from '../../../../runtime/label.ts'
import type { Option } from '../command.ts'

export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'json'

/** A field of an endpoint's query or body, which an option of its command sets. */
export interface Field {
  place: 'query' | 'body'
  /** `['budget', 'usd']` for `--budget.usd`. */
  path: readonly string[]
  kind: Kind
  /** Of the members of a list, or of an object whose members have any names. */
  item: Kind
  nullable: boolean
  required: boolean
  secret: boolean
  option: Option
}

/** Options of every derived command; a field with such a name is written `--body.<name>`. */
export const reserved = ['json', 'key', 'owner', 'body', 'form', 'output', 'follow', 'yes', 'help', 'version']

/** The fields by the names of their options. A field in both query and body is sent in the body. */
export function fieldsOf({ query, body, body_kind = 'json' }: Endpoint): Map<string, Field> {
  const fields = new Map<string, Field>()
  if (query) add(fields, 'query', toJsonSchema(query, 'input'), [])
  if (body && body_kind === 'json') add(fields, 'body', toJsonSchema(body, 'input'), [])
  return fields
}

export const flagOf = (path: readonly string[]): string => {
  const flag = path.join('.').replaceAll('_', '-')
  return reserved.includes(flag) ? `body.${flag}` : flag
}

const maxDepth = 3

function add(fields: Map<string, Field>, place: Field['place'], schema: JsonSchema, path: string[]): void {
  const { properties, required } = membersOf(schema)
  for (const [name, shape] of Object.entries(properties)) {
    const own = [...path, name]
    const field = fieldOf(place, own, shape, path.length === 0 && required.includes(name))
    fields.set(flagOf(own), field)
    if (field.kind === 'json' && own.length < maxDepth) add(fields, place, shape, own)
  }
}

function fieldOf(place: Field['place'], path: string[], shape: JsonSchema, required: boolean): Field {
  const variants = variantsOf(shape)
  const kind = kindOf(variants)
  const items = variants.flatMap(({ items, additionalProperties }) => {
    const inner = (items ?? additionalProperties) as JsonSchema | boolean | undefined
    return typeof inner === 'object' ? variantsOf(inner) : []
  })
  const item = kindOf(items)
  const nullable = variants.some(({ type }) => type === 'null' || type?.includes('null'))
  const secret = shape.format === 'secret'
  const described = describe(path, shape, required)
  const enumerated = alternativesOf(kind === 'list' ? items : variants)
  const value = kind === 'boolean' ? undefined : (enumerated ?? placeholders[kind === 'list' ? item : kind])
  const lists = kind === 'list' ? ' (repeat it, or separate with commas)' : ''
  const option: Option = {
    what: described + lists,
    ...(value && { value }),
    ...(kind === 'list' && { multiple: true }),
    ...(path.join() === 'limit' && { short: 'n' }),
  }
  return { place, path, kind, item, nullable, required, secret, option }
}

const placeholders: Record<Kind, string> = {
  text: 'text',
  number: 'number',
  boolean: 'true|false',
  list: 'json',
  json: 'json',
}

/** The alternatives of a union, without nested ones. */
const variantsOf = (shape: JsonSchema): JsonSchema[] => {
  const more = shape.anyOf ?? shape.oneOf ?? shape.allOf
  return more ? more.flatMap(variantsOf) : [shape]
}

function kindOf(variants: readonly JsonSchema[]): Kind {
  const types = new Set(variants.flatMap(typesOf).filter((type) => type !== 'null'))
  if (types.size !== 1) return types.has('object') || types.has('array') || types.size === 0 ? 'json' : 'text'
  const [type] = types
  if (type === 'array') return 'list'
  if (type === 'object') return 'json'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'boolean' || variants.every(isFlag) ? 'boolean' : 'text'
}

/** In a query, true and false are text. */
const isFlag = (shape: JsonSchema) => String(shape.enum) === 'true,false'

const typesOf = ({ type, enum: values, const: value }: JsonSchema): string[] =>
  type === undefined ? ((values ?? value) === undefined ? [] : ['string']) : [type].flat()

/** The members of an object, of all its variants. What not every variant requires is optional. */
function membersOf(schema: JsonSchema): { properties: Record<string, JsonSchema>; required: string[] } {
  const objects = variantsOf(schema).filter(({ properties }) => properties)
  const properties: Record<string, JsonSchema> = {}
  for (const variant of objects)
    for (const [name, shape] of Object.entries(variant.properties ?? {})) {
      const other = properties[name]
      const differs = other && JSON.stringify(other) !== JSON.stringify(shape)
      properties[name] = differs ? { anyOf: [...variantsOf(other), shape] } : shape
    }
  const required = Object.keys(properties).filter((name) =>
    objects.every((variant) => variant.required?.includes(name)),
  )
  return { properties, required }
}

/** `read|write`, if the text is one of a few. */
function alternativesOf(variants: readonly JsonSchema[]): string | undefined {
  const values = variants.flatMap((shape) => (shape.enum as string[] | undefined) ?? shape.const ?? [])
  const closed = variants.every((shape) => shape.enum ?? shape.const ?? shape.type === 'null')
  const text = [...new Set(values)].join('|')
  return closed && values.length > 0 && text.length <= 200 ? text : undefined
}

function describe(path: readonly string[], shape: JsonSchema, required: boolean): string {
  const { title, description, default: fallback, minimum, maximum } = shape as Record<string, string | undefined>
  const name = title ?? labelOf(path.at(-1) ?? '')
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : ''
  const defaultText =
    fallback == null || /^(""|\[\]|\{.*\})$/.test(JSON.stringify(fallback)) ? '' : `default ${fallback}`
  const notes = [required ? 'required' : '', description === range ? '' : range, defaultText].filter(Boolean)
  return `${name}${description ? `: ${description}` : ''}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}
