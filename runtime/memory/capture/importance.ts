import { tells } from './worth.ts'

/** Each adds its share to `base`; the first group that matches of each line counts once. */
const rules: readonly (readonly [RegExp, number])[] = [
  // The person wants it kept.
  [/\b(remember|don'?t forget|never forget|keep in mind|note that|from now on)\b/i, 0.3],
  [
    /\b(important|urgent|critical|deadline|due (on|by)|allergic|allergy|emergency|birthday|anniversary)\b/i,
    0.15,
  ],
  [/\b(always|never|prefer|favou?rite|hate|love|decided|agreed|promised)\b/i, 0.1],
  // A date, a time, an amount, a name in the middle of a sentence.
  [/\d|\b(january|february|march|april|june|july|august|september|october|november|december)\b/i, 0.05],
  [/[\p{Ll},] \p{Lu}\p{Ll}+/u, 0.05],
]

const base = 0.35
const own = 0.15

/**
 * How much it matters what a person said, 0.1 to 0.95: more when they ask to keep it, tell something of themselves,
 * decide, or name dates, amounts and names; less for mere questions.
 */
export function importanceOf(said: string): number {
  const shares = rules.map(([pattern, share]) => (pattern.test(said) ? share : 0))
  const sum = shares.reduce((total, share) => total + share, base) + (tells(said) ? own : -0.1)
  return Math.round(Math.min(0.95, Math.max(0.1, sum)) * 100) / 100
}
