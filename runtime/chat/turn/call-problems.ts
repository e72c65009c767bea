import type { z } from 'zod'
import { toSpec } from '../../tools/registry.ts'
import { clipped, firstSentence } from '../../tools/text.ts'
import type { Tool } from '../../tools/tool.ts'

/** Why a call of a tool that does not exist failed, with the tool that was probably meant. */
export function noSuchTool(tools: readonly Tool[], name: string): string {
  const words = wordsOf(name)
  const best = tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .reduce<{ tool?: Tool; score: number }>((left, right) => (right.score > left.score ? right : left), { score: 0 })
  if (!best.tool) return `There is no tool ${name} here. The tools are: ${tools.map((one) => one.name).join(', ')}`
  const action = actionsOf(best.tool).find((one) => words.includes(one))
  return `There is no tool ${name} here. Did you mean ${best.tool.name}${action ? ` (action ${action})` : ''}?`
}

/** The words of a name without their plural: `write_files`, `writeFile` and `files.write` are write and file. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))

/** How many of the words are in the name of a tool, and what it can do. */
function scoreOf(tool: Tool, words: readonly string[]): number {
  const [own, actions] = [wordsOf(tool.name), actionsOf(tool)]
  return words.reduce((sum, word) => sum + (own.includes(word) ? 2 : 0) + (actions.includes(word) ? 1 : 0), 0)
}

type Schema = Record<string, unknown>

const propertiesOf = (tool: Tool): Record<string, Schema> =>
  (toSpec(tool).input_schema.properties ?? {}) as Record<string, Schema>

function actionsOf(tool: Tool): string[] {
  const actions = propertiesOf(tool).action?.enum
  return Array.isArray(actions) ? actions.map(String) : []
}

/** What is wrong with the input of a call: each field with the reason and what it takes, and fields that do not exist. */
export function inputProblems(tool: Tool, input: unknown, error: z.ZodError): string {
  const properties = propertiesOf(tool)
  const names = Object.keys(properties)
  const problems = error.issues.map(({ path, message }) => {
    const [field] = path
    const schema = typeof field === 'string' && path.length === 1 ? properties[field] : undefined
    return `${path.join('.') || 'input'}: ${message}${schema ? `, takes ${describe(schema)}` : ''}`
  })
  const extra = Object.keys(typeof input === 'object' && input !== null ? input : {}).filter(
    (name) => names.length > 0 && !names.includes(name),
  )
  const fields = extra.length > 0 ? `. There is no field ${extra.join(', ')}; the fields are ${names.join(', ')}` : ''
  return `The input of ${tool.name} does not match the schema: ${problems.join('; ')}${fields}`
}

/** Characters of a field's description. */
const maxDescription = 150

function describe({ type, enum: values, description }: Schema): string {
  const kind = Array.isArray(values) ? `one of ${values.join(', ')}` : typeof type === 'string' ? type : 'another value'
  return typeof description === 'string' ? `${kind} (${clipped(firstSentence(description), maxDescription)})` : kind
}
