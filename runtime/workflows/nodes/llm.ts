import { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import { offlineProvider } from '../../models/models.ts'
import { ModelError } from '../../ports/models.ts'
import { askStructured, callModel, chooseModel, UnusableAnswer } from '../../providers/index.ts'
import { hasUntrusted, untrustedRule } from '../../untrusted.ts'
import { withField } from '../field-path.ts'
import { type TextWriter, waitingCalls } from '../hook-response.ts'
import { schemaOf } from '../input.ts'
import { NodeError, type NodeScope, nodeType, type ParamProblem, permanentError } from '../node-type.ts'

/** Also of an agent. */
export const answerField = z.string().max(200).default('').meta({
  title: 'Field for the answer',
  description: 'For example output or message.content. Leave blank for text, or the object itself',
})

/** Also of an agent. */
export const streamField = z.boolean().default(true).meta({
  title: 'Stream the text',
  description: 'To the caller of a webhook whose response is a stream',
})

export const modelField = z
  .string()
  .max(200)
  .default('')
  .meta({ description: 'provider/model. Leave blank for the default', 'x-format': 'model' })

const Params = z.object({
  prompt: z.string().trim().min(1).max(500_000).meta({ 'x-format': 'multiline' }),
  system: z.string().max(100_000).default('').meta({ title: 'System prompt', 'x-format': 'multiline' }),
  model: modelField,
  schema: z.record(z.string(), z.unknown()).nullable().default(null).meta({
    title: 'Answer schema',
    description: 'JSON Schema: the answer is then such an object instead of a text',
    'x-format': 'json',
  }),
  text_field: answerField,
  stream: streamField,
  max_output_tokens: z.int().min(1).max(64_000).default(4_000).meta({ title: 'Longest answer in tokens' }),
})
type Params = z.output<typeof Params>
type Question = Omit<Params, 'stream'>

const anyModel = { provider: null, model: null, fallbacks: [] }

export const llm = nodeType<Params>({
  type: 'llm',
  title: 'Ask a model',
  description:
    'Sends one prompt to a language model. Its output is {text, model}, or the object that the schema describes.',
  category: 'ai',
  params: Params,
  prompts: ['prompt', 'system'],
  risk: 'low',
  problems: ({ model }, context) => modelProblems(context, model),
  async run(params, scope) {
    const { context, execution, node } = scope
    const writer = params.stream ? waitingCalls(context).get(execution.id)?.writer?.(node) : undefined
    try {
      const output = await askModel(params, scope, writer)
      writer?.end()
      return { output }
    } catch (thrown) {
      writer?.fail()
      throw thrown
    }
  },
})

/** The answer of a model; its errors are errors of the node. */
export async function askModel(params: Question, scope: NodeScope, writer?: TextWriter): Promise<unknown> {
  try {
    return await ask(params, scope, writer)
  } catch (thrown) {
    if (thrown instanceof ModelError)
      throw new NodeError(thrown.code, thrown.message, { permanent: isPermanent(thrown) })
    if (thrown instanceof UnusableAnswer) throw new NodeError('unusable_answer', thrown.message)
    throw thrown
  }
}

const isPermanent = ({ code }: ModelError): boolean =>
  ['auth', 'billing', 'model_not_found', 'context_overflow', 'content_filter', 'budget_exceeded'].includes(code)

async function ask(
  { prompt, system: own, model, schema, text_field, max_output_tokens }: Question,
  { context, execution }: NodeScope,
  writer?: TextWriter,
) {
  const system = [own, ...(hasUntrusted(`${own}${prompt}`) ? [untrustedRule] : [])].filter(Boolean).join('\n\n')
  const access = await chooseModel(context, model || null, anyModel)
  if (access.missing) throw access.missing
  if (access.provider === offlineProvider) throw permanentError('no_model', noModel)
  const spender = { category: 'internal' as const, run_ref: execution.id }
  if (schema) {
    const shape = schemaOf(schema)
    if (!shape) throw permanentError('invalid_schema', 'The schema is not a JSON Schema')
    const question = { name: 'submit_answer', description: 'Submits the answer.', system, text: prompt }
    const { value } = await askStructured(context, {
      ...question,
      access,
      schema: shape,
      max_output_tokens,
      spender,
      max_wait: Number.POSITIVE_INFINITY,
    })
    return text_field === '' ? value : withField({}, text_field, value)
  }
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] }]
  let text = ''
  let answered = `${access.provider}/${access.model}`
  const content = { system, messages, tools: [], max_output_tokens }
  const max_wait = Number.POSITIVE_INFINITY
  for await (const event of callModel(context, { access, content, spender, max_wait })) {
    if (event.type === 'text') {
      text += event.text
      writer?.write(event.text)
    } else if (event.type === 'fallback') answered = event.to
  }
  return withField({ model: answered }, text_field || 'text', text)
}

const noModel = 'No model is set up; add a provider key in the settings'

/** Problems that prevent calls of a model. */
export async function modelProblems(context: Context, model: string): Promise<ParamProblem[]> {
  try {
    const access = await chooseModel(context, model || null, anyModel)
    if (access.missing) return [{ field: 'model', message: `needs a credential: ${access.missing.message}` }]
    if (access.provider === offlineProvider) return [{ field: 'model', message: `needs a credential. ${noModel}` }]
    return []
  } catch (thrown) {
    if (thrown instanceof ModelError || thrown instanceof Fault) return [{ field: 'model', message: thrown.message }]
    throw thrown
  }
}
