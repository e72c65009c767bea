import { z } from 'zod'
import { isRecord } from '../../values.ts'
import { withField } from '../field-path.ts'
import { nodeType, permanentError } from '../node-type.ts'
import { askModel, modelField, modelProblems } from './llm.ts'

const Params = z.object({
  text: z
    .string()
    .trim()
    .min(1)
    .max(500_000)
    .meta({ description: 'What is classified, for example {{ input.message }}', 'x-format': 'multiline' }),
  cases: z
    .array(z.object({ name: z.string().trim().min(1).max(200), description: z.string().max(2_000).default('') }))
    .min(1)
    .max(50)
    .meta({ title: 'Categories' }),
  system: z.string().max(100_000).default('').meta({ title: 'Instructions', 'x-format': 'multiline' }),
  model: modelField,
  into: z.string().max(200).default('').meta({
    title: 'Field for the category',
    description: 'Added to the output. Leave blank for none',
  }),
})
type Params = z.output<typeof Params>

/** What the model answers if no category fits. */
const none = 'none of them'

export const classify = nodeType<Params>({
  type: 'classify',
  title: 'Classify',
  description:
    'Asks a model to which category the text belongs, and continues at its output; at Otherwise if none fits. Its output is the input.',
  category: 'ai',
  params: Params,
  prompts: ['text', 'system'],
  usual_input: 'item',
  outputs: [{ name: 'main', label: 'Otherwise' }],
  outputs_from: 'cases',
  risk: 'low',
  problems: ({ model }, context) => modelProblems(context, model),
  async run({ text, cases, system, model, into }, scope) {
    const names = cases.map(({ name }) => name)
    if (new Set(names).size < names.length) throw permanentError('invalid_params', 'Two categories have the same name')
    const list = cases.map(({ name, description }) => `- ${name}${description && `: ${description}`}`).join('\n')
    const instructions = [system, `Say to which of these categories the text belongs:\n${list}\n- ${none}`]
    const answer = await askModel(
      {
        ...{ prompt: text, system: instructions.filter(Boolean).join('\n\n'), model, max_output_tokens: 1_000 },
        schema: {
          type: 'object',
          properties: { category: { type: 'string', enum: [...names, none] } },
          required: ['category'],
        },
        text_field: '',
      },
      scope,
    )
    const { category } = answer as { category: string }
    const index = names.indexOf(category)
    const { input } = scope
    const output = into === '' ? input : withField(isRecord(input) ? input : {}, into, index < 0 ? null : category)
    return { output, to: index < 0 ? 'main' : `case:${index}` }
  },
})
