import { tellingWords } from '../words.ts'

/** Share of what only the memory could have said, and the least number of its words. */
const share = 0.3
const fewest = 2
/** So many words are enough, however long the memory is. */
const plenty = 5

interface Answer {
  text: string
  /** What the person had said: words that stand there too prove nothing. */
  said: string
}

/**
 * Whether an answer rests on a memory that stood in its prompt: it names its id, or says of what only the memory
 * knew at least two words and three tenths, or five words.
 */
export function restsOn({ text, said }: Answer, memory: { id: string; text: string }): boolean {
  if (text.includes(memory.id)) return true
  const asked = tellingWords(said)
  const own = [...tellingWords(memory.text)].filter((word) => !asked.has(word))
  const answer = tellingWords(text)
  const shared = own.filter((word) => answer.has(word)).length
  if (shared >= plenty) return true
  return shared > 0 && shared >= Math.min(fewest, own.length) && shared / own.length >= share
}
