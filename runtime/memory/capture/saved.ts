import { z } from 'zod'
import type { Part } from '../../chat/schema.ts'
import { coverage, stem, tellingWords } from '../words.ts'

const Saved = z.object({ content: z.string() })
const Found = z.object({ results: z.array(z.object({ content: z.string() })) })

/** Share of what a person said that a note must hold to be the same memory. */
const sameFrom = 0.6

/** What the agent itself has put into memory in this answer. */
export function savedIn(parts: readonly Part[]): string[] {
  const calls = parts.filter((part) => part.type === 'tool_use' && part.tool === 'memory_save')
  return calls.flatMap((part) =>
    part.type === 'tool_use' && part.state === 'done'
      ? (Saved.safeParse(part.input).data?.content ?? [])
      : [],
  )
}

/** What it has looked up there. */
export function foundIn(parts: readonly Part[]): string[] {
  const results = parts.filter((part) => part.type === 'tool_result' && part.tool === 'memory_search')
  return results.flatMap((part) =>
    part.type === 'tool_result'
      ? (Found.safeParse(part.output).data?.results.map(({ content }) => content) ?? [])
      : [],
  )
}

/** Words that ask for the keeping and are not kept. */
const order = new Set(
  ['remember', 'save', 'note', 'keep', 'mind', 'store', 'memory', 'forget', 'don'].map(stem),
)

/** Whether the agent's notes of this answer hold what the person said already. */
export function isSaved(said: string, saved: readonly string[]): boolean {
  if (saved.length === 0) return false
  const words = new Set([...tellingWords(said)].filter((word) => !order.has(word)))
  return coverage(words, tellingWords(saved.join('\n'))) >= sameFrom
}
