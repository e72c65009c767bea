import type { JsonSchema } from '../../../runtime/http/openapi/json-schema.ts'
import { type Html, html, line } from './html.ts'

/** Maximum nesting; deeper fields are only in the OpenAPI document. */
const deepest = 5

/** Renders the fields of a schema as nested lists, or its type if it has none. */
export function shapeList(shape: JsonSchema, depth = 0): Html {
  const inner = shape.items ?? shape
  const fields = Object.entries(inner.properties ?? {})
  if (fields.length === 0) return depth === 0 ? html`<p>${facts(shape)}</p>` : html``
  if (depth >= deepest) return html`<p class="quiet">…</p>`
  const required = new Set(inner.required)
  const items = fields.map(([name, field]) => fieldItem(name, field, { required: required.has(name), depth }))
  const heading = depth === 0 && shape.items ? html`<p class="quiet">A list of:</p>` : null
  return html`${heading}<ul class="fields">${items}</ul>`
}

interface FieldOptions {
  required: boolean
  depth: number
}

function fieldItem(name: string, field: JsonSchema, { required, depth }: FieldOptions): Html {
  const head = html`<code class="name">${name}</code> ${facts(field, { required })}`
  const choices = choicesOf(field).filter((choice) => choice.properties)
  const below = choices.length > 0 ? choices : [field]
  return html`<li>${head}${below.map((choice) => shapeList(choice, depth + 1))}</li>`
}

/** Location, type, limits, default and description in one line. */
export function facts(shape: JsonSchema, { place, required = true }: Facts = {}): Html {
  const all = [place, typeOf(shape), ...limitsOf(shape), required ? undefined : 'optional']
  const note = shape.description ? html` ${line(shape.description)}` : null
  return html`<span class="quiet">${all.filter(Boolean).join(', ')}</span>${note}`
}

interface Facts {
  place?: string
  required?: boolean
}

function typeOf(shape: JsonSchema): string {
  const choices = choicesOf(shape)
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' or ')
  if (typeof shape.$ref === 'string') return shape.$ref.split('/').at(-1) ?? 'any'
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (Array.isArray(shape.enum)) return shape.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (shape.items) return `list of ${typeOf(shape.items)}`
  return String(shape.format ?? [shape.type ?? 'any'].flat().join(' or '))
}

const choicesOf = (shape: JsonSchema) => shape.anyOf ?? shape.oneOf ?? []

const limitWords: [string, string][] = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'at least'],
  ['maxLength', 'at most'],
  ['minItems', 'at least'],
  ['maxItems', 'at most'],
  ['pattern', 'matches'],
]

function limitsOf(shape: JsonSchema): string[] {
  const limits = limitWords.flatMap(([keyword, word]) =>
    shape[keyword] === undefined ? [] : [`${word} ${shape[keyword]}`],
  )
  if (shape.default !== undefined) limits.push(`default ${JSON.stringify(shape.default)}`)
  return limits
}
