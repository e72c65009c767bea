import { tellingWords, wordsOf } from '../words.ts'

/** Share of what only the memory could have said, and the least number of its words. */
const share = 0.3
const fewest = 2
/** A name or a number that only the memory knew is no chance. */
const telltale = /^\p{Lu}|\d/u
/** So many words are enough, however long the memory is. */
const plenty = 5

interface Answer {
  text: string
  /** What the person had said: words that stand there too prove nothing. */
  said: string
}

/**
 * Whether an answer rests on a memory that stood in its prompt: it names its id, or says of what only the memory
 * knew at least three tenths, of two words or with a name or number among them, or five words.
 */
export function restsOn({ text, said }: Answer, memory: { id: string; text: string }): boolean {
  if (text.includes(memory.id)) return true
  const asked = tellingWords(said)
  const own = [...tellingWords(memory.text)].filter((word) => !asked.has(word))
  const answer = tellingWords(text)
  const shared = own.filter((word) => answer.has(word))
  if (shared.length >= plenty) return true
  if (shared.length === 0 || shared.length / own.length < share) return false
  return shared.length >= Math.min(fewest, own.length) || namesOne(shared, memory.text)
}

function namesOne(words: readonly string[], text: string): boolean {
  const names = tellingWords(
    wordsOf(text)
      .filter((word) => telltale.test(word))
      .join(' '),
  )
  return words.some((word) => names.has(word))
}
