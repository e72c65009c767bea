import { z } from 'zod'
import { type FaultIssue, invalid } from '../fault.ts'
import type { ServerAnswer } from '../ports/tool-servers.ts'
import { readable } from '../validation.ts'

/** What another program asks the owner while one of its tools runs. Its text is untrusted. */
export const ToolQuestion = z.object({
  from: z.string().meta({ description: 'The tool server that asks, and that the answer is sent to' }),
  message: z.string(),
  schema: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'JSON Schema of the answer, an object with flat members; null if the question is to open `url`',
  }),
  url: z.string().nullable(),
})
export type ToolQuestion = z.infer<typeof ToolQuestion>

type Content = NonNullable<ServerAnswer['content']>

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The members that a question asks for; those left blank are absent. Throws a 422 that names each wrong one below `path`. */
export function contentOf({ schema }: ToolQuestion, sent: Record<string, unknown>, path: string): Content {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Record<string, unknown>>
    required?: string[]
  }
  const issues: FaultIssue[] = []
  const members = Object.entries(properties).flatMap(([name, { labels: _, default: __, ...property }]) => {
    const needed = required.includes(name)
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (isEmpty(value) && property.type === 'boolean') return needed ? [[name, false]] : []
    if (isEmpty(value) && !needed) return []
    const checked = z.fromJSONSchema(property).safeParse(isEmpty(value) ? undefined : value, readable)
    if (checked.success) return [[name, checked.data]]
    issues.push({ path: `${path}.${name}`, message: checked.error.issues[0]?.message ?? 'does not fit' })
    return []
  })
  if (issues.length > 0) throw invalid(issues)
  return Object.fromEntries(members)
}
