import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Spender } from '../ledger/spender.ts'
import { ModelError, type ModelMessage, type ToolSpec } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { prompt } from '../prompts/prompt.ts'
import type { Agent } from '../tools/agent.ts'
import { readable } from '../validation.ts'
import type { ModelAccess } from './access.ts'
import { type CallUsage, callModel } from './call.ts'

/** A question that a model answers with a value of a schema. */
export interface StructuredQuestion<Value> {
  access: ModelAccess
  /** Names the value for the model, for example `submit_plan`. */
  name: string
  description: string
  schema: z.ZodType<Value>
  /** What is wrong with a value beyond its shape. */
  problems?(value: Value): readonly string[]
  system: string
  text: string
  max_output_tokens?: number
  spender: Spender
  agent?: Pick<Agent, 'model' | 'budget'> | null
  /** As of `CallRequest`. */
  max_wait?: number
  /** Statements for the commit of each call's cost. */
  spent?(usage: CallUsage): Statement[]
}

/** The model answered, twice, with something that cannot be used. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer'
}

/** The value, and the model that gave it as `provider/model`. */
export interface StructuredAnswer<Value> {
  value: Value
  made_by: string
}

/**
 * Asks a model for a value: as the call of one tool or, where the model has no tools, as JSON. An answer that does not
 * match is sent back once with its problems. Throws `ModelError` and `UnusableAnswer`.
 */
export async function askStructured<Value>(
  context: Context,
  question: StructuredQuestion<Value>,
): Promise<StructuredAnswer<Value>> {
  const spec: ToolSpec = {
    name: question.name,
    description: question.description,
    input_schema: schemaOf(question.schema),
  }
  const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: question.text }] }]
  let problem = ''
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const said = await ask(context, question, { spec, messages })
    const read = readValue(question, said)
    if ('value' in read) return { value: read.value, made_by: said.made_by }
    problem = read.problem
    messages.push(...correction(said, problem))
  }
  throw new UnusableAnswer(problem)
}

interface Reply {
  text: string
  call: { id: string; name: string; input: unknown; invalid?: string | undefined } | null
  made_by: string
  /** It reached the limit of its length. */
  cut?: boolean
}

interface Sent {
  spec: ToolSpec
  messages: ModelMessage[]
}

async function ask<Value>(context: Context, question: StructuredQuestion<Value>, sent: Sent): Promise<Reply> {
  try {
    return await callOnce(context, question, sent, true)
  } catch (thrown) {
    if (!(thrown instanceof ModelError) || thrown.refuses !== 'tools') throw thrown
    return callOnce(context, question, sent, false)
  }
}

async function callOnce<Value>(
  context: Context,
  question: StructuredQuestion<Value>,
  { spec, messages }: Sent,
  withTools: boolean,
): Promise<Reply> {
  const { access, spender, agent, spent, max_wait = 0, max_output_tokens = 16_000 } = question
  const content = {
    system: withTools
      ? prompt('structured-call', { system: question.system, name: spec.name })
      : prompt('structured-json', { system: question.system, schema: JSON.stringify(spec.input_schema) }),
    messages: [...messages],
    tools: withTools ? [spec] : [],
    max_output_tokens,
  }
  const said: Reply = { text: '', call: null, made_by: `${access.provider}/${access.model}` }
  const request = {
    access,
    content,
    spender,
    max_wait,
    ...(agent ? { agent } : {}),
    ...(spent ? { spent } : {}),
  }
  for await (const event of callModel(context, request)) {
    if (event.type === 'text') said.text += event.text
    else if (event.type === 'tool_call') said.call ??= event
    else if (event.type === 'fallback') said.made_by = event.to
    else if (event.type === 'finish' && event.reason === 'length') said.cut = true
  }
  return said
}

function readValue<Value>(
  { name, schema, problems }: StructuredQuestion<Value>,
  { text, call, cut }: Reply,
): { value: Value } | { problem: string } {
  const value = call ? (call.invalid === undefined ? call.input : undefined) : jsonIn(text)
  if (value === undefined && cut) return { problem: 'The answer was cut off because it is too long' }
  if (value === undefined)
    return {
      problem: call ? `The input of ${name} is not valid JSON` : `There is no call of ${name} and no JSON object`,
    }
  const parsed = schema.safeParse(value, readable)
  const problemList = parsed.success ? (problems?.(parsed.data) ?? []) : sentencesOf(parsed.error)
  if (parsed.success && problemList.length === 0) return { value: parsed.data }
  return { problem: problemList.slice(0, 10).join('; ') }
}

const sentencesOf = (error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'The answer'} ${message}`)

/** The first JSON object in a text, with or without a fence around it. */
/** The JSON object in a text; undefined if there is none. */
export function jsonIn(text: string): unknown {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return undefined
  }
}

/** What the model said, and what is wrong with it. */
function correction({ text, call }: Reply, problem: string): ModelMessage[] {
  const complaint = `This cannot be used: ${problem}. Correct it and answer again in full.`
  if (!call)
    return [
      { role: 'assistant', content: [{ type: 'text', text: text || '(nothing)' }] },
      { role: 'user', content: [{ type: 'text', text: complaint }] },
    ]
  const { id, name, input } = call
  return [
    { role: 'assistant', content: [{ type: 'tool_call', id, name, input }] },
    { role: 'tool', content: [{ type: 'tool_result', id, name, output: complaint, is_error: true }] },
  ]
}

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json
}
