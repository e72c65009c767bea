import { sumOf } from '../numbers.ts'
import { clip, sentences } from './text.ts'
import { coverage, keywordsOf, wordsOf } from './words.ts'

export interface SummaryOptions {
  /** How many sentences to keep. */
  count?: number
  title?: string
  /** What the reader asked about: sentences with these words come first. */
  focus?: string
}

const MAX_SENTENCES = 400
const MAX_CHARACTERS = 900

/**
 * The main sentences of a text: those with its frequent words, near its start, about its title, in their
 * order.
 */
export function summarise(text: string, { count = 3, title = '', focus = '' }: SummaryOptions = {}): string {
  const all = proseOf(text).slice(0, MAX_SENTENCES)
  if (all.length <= count) return clip(all.join(' '), MAX_CHARACTERS)
  const weights = wordWeights(all)
  const [titled, focusWords] = [keywordsOf(title), keywordsOf(focus)]
  const scored = all.map((sentence, index) => {
    const own = [...keywordsOf(sentence)]
    const shared = (stems: ReadonlySet<string>) => own.filter((stem) => stems.has(stem)).length
    const mean = sumOf(own, (stem) => weights.get(stem) ?? 0) / Math.max(own.length, 6)
    const place = index === 0 ? 0.35 : 0.2 / (1 + index / 4)
    return {
      index,
      sentence,
      score: mean + place + 0.15 * Math.min(shared(titled), 3) + 2 * Math.min(shared(focusWords), 3),
    }
  })
  const best = distinct(scored.sort((left, right) => right.score - left.score)).slice(0, count)
  const ordered = best.sort((left, right) => left.index - right.index).map(({ sentence }) => clip(sentence, 400))
  return clip(ordered.join(' '), MAX_CHARACTERS)
}

/** Whole sentences; menus, captions and other fragments only if there is nothing else. */
function proseOf(text: string): string[] {
  const all = sentences(text)
  const prose = all.filter(
    (sentence) =>
      /[.!?…。！？]["')\]]?$/.test(sentence) && (wordsOf(sentence).length >= 5 || /[\u3040-\u9fff]/.test(sentence)),
  )
  return prose.length > 0 ? prose : all
}

function wordWeights(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const sentence of all) for (const stem of keywordsOf(sentence)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const highest = Math.max(1, ...counts.values())
  return new Map([...counts].map(([stem, count]) => [stem, count / highest]))
}

function distinct<T extends { sentence: string }>(scored: readonly T[]): T[] {
  const kept: T[] = []
  for (const candidate of scored)
    if (!kept.some((other) => repeats(candidate.sentence, other.sentence))) kept.push(candidate)
  return kept
}

const repeats = (left: string, right: string): boolean => coverage(keywordsOf(left), keywordsOf(right)) > 0.8
