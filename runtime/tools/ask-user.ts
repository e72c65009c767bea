import { z } from 'zod'
import { clipped } from './text.ts'
import { tool } from './tool.ts'

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
  ends_turn: true,
  summary: ({ question }) => `Ask: ${clipped(question, 200)}`,
  run: async () => ({ asked: true }),
})
