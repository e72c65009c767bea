import { coverage, tellingWords } from '../words.ts'

/** Share of the question's telling words that a memory found by words must hold. */
const least = 0.3
const fewest = 2

/**
 * Whether a memory that was found by its words has to do with the question. Scores of a search say how matches stand to
 * each other, and the best of nothing but bad ones still comes first: one word in common of many is no reason.
 */
export function hasToDoWith(question: string, memory: string): boolean {
  const asked = tellingWords(question)
  const said = tellingWords(memory)
  const shared = [...asked].filter((word) => said.has(word)).length
  return shared >= Math.min(fewest, asked.size) && coverage(asked, said) >= Math.min(least, 4 / asked.size)
}
