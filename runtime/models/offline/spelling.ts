import { editDistance, nearlySame } from './similarity.ts'
import { isStopWord } from './text.ts'

/** The words that requests hang on. Only these are ever corrected, never names or content. */
const KEYWORDS =
  `remember remind reminder schedule calculate convert summarise summarize fetch search write read list
todo todos files jobs cancel translate what time date when what's weather extract entities plan open create project
workflow every tomorrow help hello append replace status show people please delete remove timezone check calculate know
about between percent minutes hours`.split(/\s+/)

/** Corrects near-misses of keywords, so that "rember that" and "shedule" are read. Null when nothing changes. */
export function corrected(text: string): string | null {
  const fixed = text.replace(/(?<![\p{L}\p{N}"'./:@-])[a-z]{4,14}(?![\p{L}\p{N}"'./:@-])/giu, (word) => {
    const small = word.toLowerCase()
    if (KEYWORDS.includes(small) || isStopWord(small)) return word
    const near = KEYWORDS.filter((keyword) => keyword.length > 3 && nearlySame(small, keyword))
    return near.sort((left, right) => editDistance(small, left) - editDistance(small, right))[0] ?? word
  })
  return fixed === text ? null : fixed
}
