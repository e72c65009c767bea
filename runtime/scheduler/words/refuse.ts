import { Refusal } from './reading.ts'

/** What no schedule says, and why. */
const reasons: readonly [RegExp, string][] = [
  [/^\W*$/, 'There are no words that say when'],
  [
    /\b(?:sun ?(?:set|rise|up|down)|dusk|dawn|twilight|golden hour|sonnenuntergang|sonnenaufgang|coucher du soleil|lever du soleil|puesta del? sol|amanecer|atardecer)\b/,
    'The time of sunrise and sunset depends on a place, which is not known here; give a time such as 18:30',
  ],
  [
    /\b(?:sometimes?|occasionally|now and (?:then|again)|from time to time|once in a while|regularly|often|frequently|rarely|soon|(?<!\d [a-z]+ )later|someday|eventually|whenever|asap|random(?:ly)?|manchmal|bald|gelegentlich|parfois|bientôt|a veces|pronto)\b/,
    'That names no time; say when, such as "every day at 9" or "in 2 hours"',
  ],
  [
    /\b(?:yesterday|ago|last (?:night|week|month|year|evening)|previous|gestern|hier|ayer)\b/,
    'That lies in the past',
  ],
  [
    /\bbefore\b|\bafter (?!that)(?!\d)\p{L}+ (?:ends|is|has|finishes)/u,
    'That names no time by itself; give one',
  ],
  [
    /\b(?:public |bank )?holidays?\b|\bfull moon\b|\bnew moon\b|\beaster\b/,
    'Which days those are is not known here; give the dates',
  ],
  [
    /\b(?:1st|last|first) (?:working|business|work) ?day\b|\b(?:1st|last) weekday\b/,
    'The first or last working day of a month cannot be said in a schedule; a date or a weekday such as "last Friday of the month" can',
  ],
]

/** Throws a `Refusal` for words that cannot be a schedule, whatever else stands beside them. */
export function refuseHopeless(text: string): void {
  const found = reasons.find(([pattern]) => pattern.test(text))
  if (found) throw new Refusal(found[1])
}
