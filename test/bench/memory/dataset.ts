import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Locomo } from './locomo.ts'

/** One conversation with questions about it; see the README beside the benchmarks. */
export const Conversation = z.object({
  id: z.string(),
  sessions: z.array(
    z.object({
      id: z.string(),
      date: z.iso.datetime({ offset: true }).optional(),
      turns: z.array(z.object({ id: z.string(), speaker: z.string().optional(), text: z.string() })),
    }),
  ),
  questions: z.array(
    z.object({
      question: z.string(),
      evidence: z.array(z.string()),
      category: z.string().optional(),
      /** Where it is looked for: `all` is every conversation. Default both, one after the other. */
      scope: z.enum(['conversation', 'all']).optional(),
    }),
  ),
})
export type Conversation = z.output<typeof Conversation>

const Dataset = z.union([Conversation.transform((one) => [one]), z.array(Conversation), Locomo])

/** Every conversation in the JSON files of a folder. */
export function readDataset(folder: string): Conversation[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return names.flatMap((name) => Dataset.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
}
