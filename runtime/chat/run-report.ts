import type { Context } from '../context.ts'
import { calculate, equation } from '../english/calculate.ts'
import { builtInTools } from '../tools/registry.ts'
import { clipped } from '../tools/text.ts'
import type { Tool } from '../tools/tool.ts'
import { unwrapUntrusted } from '../untrusted.ts'
import { withoutResult } from './answer.ts'
import type { Message, ToolUsePart } from './schema.ts'

/** A question of the agent to the person it works for. */
export interface AskedQuestion {
  question: string
  options: string[]
}

/** The question with which the agent ended its turn; null if it ended otherwise. */
export function questionIn({ parts }: Message): AskedQuestion | null {
  const call = parts.findLast((part) => part.type === 'tool_use' && part.tool === 'ask_user' && part.state === 'done')
  if (call?.type !== 'tool_use') return null
  const { question, options = [] } = call.input as { question: string; options?: string[] }
  return { question, options }
}

/**
 * Whether an answer of the offline model did what was asked. Without a tool it can only calculate, so another plain
 * answer means that it could not.
 */
export function offlineDid({ parts, content }: Message, request: string): boolean {
  const calculation = calculate(request)
  return (
    parts.some((part) => part.type === 'tool_result' && !part.is_error) ||
    (calculation?.ok === true && content.includes(equation(calculation)))
  )
}

/** Errors that another attempt would not fix. */
export const permanentErrors: readonly string[] = ['budget_exceeded', 'auth', 'billing', 'model_not_found', 'cancelled']

/** Instructions for a model that continues interrupted work. */
export const doneBefore =
  'Your earlier work is above. Calls that succeeded have taken effect: do not repeat them. Calls that never started had no effect; check the others.'

/** A call of a tool, and how it really ended. */
export interface CallOutcome {
  tool: string
  input: unknown
  summary: string
  is_error: boolean
  output: unknown
  result: string
  /** Whether the call changes, or may change, something. */
  changes: boolean
}

const maxResult = 300

export async function callsIn(context: Context, messages: readonly Message[]): Promise<CallOutcome[]> {
  const tools = await builtInTools(context)
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool_use') return []
      const { tool, input, summary } = part
      const result = parts.find((one) => one.type === 'tool_result' && one.id === part.id)
      const output = result?.type === 'tool_result' ? unwrapUntrusted(result.output) : withoutResult(part)
      const is_error = result?.type !== 'tool_result' || result.is_error
      const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
      const facts = { is_error, output, result: clipped(text, maxResult), changes: changes(tools, part) }
      return { tool, input, summary, ...facts }
    }),
  )
}

/** The calls as a model reads them that judges the work. */
export const describeCalls = (calls: readonly Pick<CallOutcome, 'summary' | 'is_error' | 'result'>[]): string =>
  calls.map(({ summary, is_error, result }) => `${summary}${is_error ? ' (failed)' : ''}: ${result}`).join('\n') ||
  'none'

/** What these answers changed, one line for each call; `started` and `unknown` have no result, and only the former may get one. */
export async function changesIn(
  context: Context,
  messages: readonly Message[],
  state: 'started' | 'done' | 'unknown',
): Promise<string[]> {
  const tools = await builtInTools(context)
  const uses = messages
    .flatMap(({ parts }) => parts)
    .filter((part): part is ToolUsePart => part.type === 'tool_use' && part.state === state)
  return uses.filter((use) => changes(tools, use)).map(({ summary }) => summary)
}

/** A tool that is not known here may change something, and so may a helper. */
function changes(tools: readonly Tool[], { tool: name, input }: ToolUsePart): boolean {
  if (name === 'delegate') return true
  const tool = tools.find((one) => one.name === name)
  const parsed = tool?.input.safeParse(input)
  return !tool || !parsed?.success || tool.effect(parsed.data) !== 'read'
}
