import { coverage, sentencesOf, tellingWords } from '../words.ts'

/** Share of a sentence's telling words that one memory must hold for the sentence to be its retelling. */
const retoldFrom = 0.75
const fewestWords = 2

/** A text without the sentences that only repeat what was recalled: a memory must not breed memories. */
export function withoutRetold(text: string, recalled: readonly string[]): string {
  if (recalled.length === 0) return text
  const known = recalled.map(tellingWords)
  const fresh = sentencesOf(text).filter((sentence) => {
    const words = tellingWords(sentence.replace(/\[?\bep_[0-9a-z]+\b\]?/g, ''))
    if (words.size === 0) return true
    return words.size < fewestWords || !known.some((memory) => coverage(words, memory) >= retoldFrom)
  })
  const said = fresh.join('').trim()
  return tellingWords(said).size === 0 ? '' : said
}
