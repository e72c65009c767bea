import type { Trust } from '../schema.ts'
import { stopWords } from '../stop-words.ts'
import { coverage, plainForm, tellingWords, wordsOf } from '../words.ts'

/** Share of their telling words that two texts must have in common, besides being alike in meaning. */
const inCommon = 0.5

const denial = /\b(not|no|never|none|nobody|nothing|without|cannot|\w+n['’]t|stopped|anymore)\b/giu

/** What makes two sentences of one form say different things, besides names: numbers, and whether they deny. */
function facts(text: string): string {
  const numbers = text.match(/\d+/g) ?? []
  const denials = text.match(denial) ?? []
  return JSON.stringify([numbers.sort(), denials.length % 2])
}

const small = (text: string) => new Set(wordsOf(text).map((word) => word.toLowerCase()))

/** Whether every name of one text stands in the other. */
function namesIn(text: string, others: ReadonlySet<string>): boolean {
  const names = wordsOf(text).filter((word) => /^\p{Lu}/u.test(word))
  return names.map((word) => word.toLowerCase()).every((word) => stopWords.has(word) || others.has(word))
}

/** The same words, whatever their case and punctuation. */
export const sameText = (left: string, right: string): boolean => plainForm(left) === plainForm(right)

/**
 * Whether two texts that are alike in meaning also say the same: "my flight is on the 12th" and "… on the 13th" are as
 * alike as two texts can be, and losing one would be losing a fact.
 */
export function sameFacts(left: string, right: string): boolean {
  const [one, other] = [tellingWords(left), tellingWords(right)]
  if (facts(left) !== facts(right)) return false
  if (!namesIn(left, small(right)) || !namesIn(right, small(left))) return false
  return Math.min(coverage(one, other), coverage(other, one)) >= inCommon
}

const weight: Record<Trust, number> = { external: 0, agent: 1, owner: 2 }

/** A stranger's word does not stand in for the owner's own. */
export const standsFor = (old: Trust, fresh: Trust): boolean => weight[old] >= weight[fresh]
