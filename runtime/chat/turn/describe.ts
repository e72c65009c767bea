import type { Effect, Tool } from '../../tools/tool.ts'
import type { Risk } from '../schema.ts'

export type Call =
  | { ok: true; tool: Tool; input: unknown; summary: string; effect: Effect; risk: Risk }
  | { ok: false; reason: string; summary: string }

/** What a call of the model means, or why it cannot be made. */
export function describeCall(tools: readonly Tool[], name: string, input: unknown): Call {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) return { ok: false, reason: `There is no tool ${name} here`, summary: name }
  const checked = tool.input.safeParse(input)
  if (!checked.success) {
    const issues = checked.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
    return { ok: false, reason: `The input does not fit: ${issues.join('; ')}`, summary: name }
  }
  const { data } = checked
  return {
    ok: true,
    tool,
    input: data,
    summary: tool.summary(data),
    effect: tool.effect(data),
    risk: tool.risk(data),
  }
}
