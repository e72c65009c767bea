import { z } from 'zod'
import { FormField } from '../form-fields.ts'
import { clipped } from './text.ts'
import { tool } from './tool.ts'

/** Answers to choose from, as text. */
export const optionLines = (options: readonly string[]): string[] =>
  options.length === 0 ? [] : ['', ...options.map((option, index) => `${index + 1}. ${option}`)]

const Field = FormField.pick({ name: true, options: true, required: true }).extend({
  type: FormField.shape.type.unwrap().exclude(['hidden', 'password']).default('text'),
})

/** What a form asks for, as text. */
const fieldLines = (fields: readonly z.infer<typeof Field>[]): string[] =>
  fields.length === 0
    ? []
    : ['', ...fields.map(({ name, options }) => `- ${name}${options.length > 0 ? `: ${options.join(' / ')}` : ''}`)]

export const askUser = tool({
  name: 'ask_user',
  description:
    'Asks the person one question and ends your turn; their next message is the answer. Use it when you cannot continue ' +
    'without something that only they know. Do not use it for what you can find out yourself.',
  input: z.object({
    question: z.string().trim().min(1).max(2_000),
    options: z
      .array(z.string().trim().min(1).max(200))
      .max(10)
      .optional()
      .describe('Answers to choose from, if there are only a few'),
    fields: z.array(Field).max(20).optional().describe('A form to fill in, if several things are needed at once'),
  }),
  question: ({ question, options = [], fields = [] }) =>
    [question, ...optionLines(options), ...fieldLines(fields)].join('\n'),
  summary: ({ question }) => `Ask: ${clipped(question, 200)}`,
  run: async () => ({ asked: true }),
})
