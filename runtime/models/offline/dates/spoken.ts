import { parseWords } from '../../../scheduler/words/parse.ts'
import type { Reference } from './read.ts'

export interface Spoken {
  /** The person's own words for the time. */
  words: string
  /** What is left of the text without them. */
  rest: string
}

/** Words of a text that are looked at, and words that a time is told in. */
const [mostWords, longest] = [40, 12]

/** A word that leads to another ends no time, though readers of schedules let it stand. */
const leadsOn =
  /(?:^|\s)(?:an|daran|dass|d[aeiu][sren]m?|dem|eine?n?|an?|de|du|des|les?|la|à|que|una?|el|l[oa]s|un|une),?$/iu

/** The longest run of words that names a time, in any language that schedules are read in. Null when there is none. */
export async function splitSpoken(text: string, { now, timezone }: Reference): Promise<Spoken | null> {
  const words = text.split(/\s+/).filter(Boolean).slice(0, mostWords)
  for (let length = Math.min(longest, words.length); length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const candidate = words.slice(start, start + length).join(' ')
      if (leadsOn.test(candidate)) continue
      if (!(await parseWords(candidate, { now, zone: timezone })).ok) continue
      const rest = [...words.slice(0, start), ...words.slice(start + length)].join(' ')
      return { words: candidate.replace(/,$/, ''), rest }
    }
  return null
}
