import cues from './cues.json' with { type: 'json' }
import examples from './examples.json' with { type: 'json' }

const wordsOf = (text: string): string[] =>
  text
    .replace(/[’‘]/g, "'")
    .toLowerCase()
    .match(/[\p{L}\p{M}']+/gu) ?? []

/** Characters of a sentence whose language is judged. */
const maxText = 600
/** Share of its words above which a sentence is English: those of the cues and examples, or those of English alone. */
const [known, telling] = [0.5, 0.2]
/** What is translated, corrected or explained can be in any language: the words before it say what to do. */
const firstWords = 5

/** What a cue says besides words: classes such as \p{L} and \d. */
const withoutClasses = (cue: string) => cue.replace(/\\(?:p\{\w\}|\w)/g, ' ')
const common = new Set(wordsOf(cues.common))
let vocabulary: ReadonlySet<string> | null = null

const share = (words: readonly string[], set: ReadonlySet<string>) =>
  words.filter((word) => set.has(word)).length / words.length

/** Whether the rules and examples, which are English, can judge a sentence. */
export function isEnglish(text: string): boolean {
  vocabulary ??= new Set(
    [...Object.values(examples), ...Object.values(cues).map(withoutClasses)].flatMap(wordsOf),
  )
  const words = wordsOf(text.slice(0, maxText))
  return (
    share(words, vocabulary) > known ||
    share(words, common) >= telling ||
    share(words.slice(0, firstWords), common) >= telling
  )
}
