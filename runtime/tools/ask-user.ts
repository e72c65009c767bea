import { z } from 'zod'
import { clipped } from './text.ts'
import { tool } from './tool.ts'

/** Answers to choose from, as text. */
export const optionLines = (options: readonly string[]): string[] =>
  options.length === 0 ? [] : ['', ...options.map((option, index) => `${index + 1}. ${option}`)]

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
  }),
  question: ({ question, options = [] }) => [question, ...optionLines(options)].join('\n'),
  summary: ({ question }) => `Ask: ${clipped(question, 200)}`,
  run: async () => ({ asked: true }),
})
