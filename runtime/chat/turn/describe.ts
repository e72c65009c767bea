import type { Effect, Tool } from '../../tools/tool.ts'
import type { Risk } from '../schema.ts'

export type Call =
  | { ok: true; tool: Tool; input: unknown; summary: string; effect: Effect; risk: Risk }
  | { ok: false; reason: string; summary: string }

/** As `takeCall` stores arguments that are not JSON. No tool has such an input, but one may ignore what it does not know. */
const isBroken = (input: unknown) => typeof input === 'object' && input !== null && 'invalid_json' in input

/** What a call of the model means, or why it cannot be made. */
export function describeCall(tools: readonly Tool[], name: string, input: unknown): Call {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) return { ok: false, reason: `There is no tool ${name} here`, summary: name }
  if (isBroken(input)) return { ok: false, reason: 'The input is not valid JSON', summary: name }
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
