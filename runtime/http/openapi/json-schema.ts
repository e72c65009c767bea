import { z } from 'zod'

/** JSON Schema (draft 2020-12) as used by OpenAPI 3.1. */
export interface JsonSchema {
  [keyword: string]: unknown
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  $defs?: Record<string, JsonSchema>
}

/** `input`: what callers may send; fields with defaults are optional. `output`: what is returned. */
export type Side = 'input' | 'output'

/** Converts a zod schema. Anything JSON Schema cannot express, such as a transformed value, is left open. */
export function toJsonSchema(schema: z.ZodType, io: Side): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override }) as JsonSchema
  return shape
}

interface Overridden {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}

/** Omits redundant keywords: unknown fields are dropped unless strict, integers are safe, and `format` implies a pattern. */
function override({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod
  if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/**
 * Extracts the definitions of a recursive schema under names that start with `prefix`, and rewrites its references
 * to `components.schemas`.
 */
export function hoist(
  shape: JsonSchema,
  prefix: string,
): { shape: JsonSchema; definitions: Record<string, JsonSchema> } {
  const { $defs = {}, ...root } = shape
  const nameOf = (name: string) => `${prefix}_${name.replace(/\W/g, '')}`
  const refers = JSON.stringify(shape).includes('"$ref":"#"')
  const whole = refers ? { ...$defs, root } : $defs
  const renamed = (value: JsonSchema) => mapRefs(value, (name) => `#/components/schemas/${nameOf(name)}`)
  const definitions = Object.fromEntries(
    Object.entries(whole).map(([name, definition]) => [nameOf(name), renamed(definition)]),
  )
  return { shape: renamed(root), definitions }
}

function mapRefs(shape: JsonSchema, to: (name: string) => string): JsonSchema {
  const text = JSON.stringify(shape, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value
    return to(value === '#' ? 'root' : value.replace('#/$defs/', ''))
  })
  return JSON.parse(text) as JsonSchema
}
