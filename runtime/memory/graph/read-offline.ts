import { sentences } from '../../models/offline/text.ts'
import type { SaidText } from '../../ports/reader.ts'
import { iso } from '../../time.ts'
import type { Fact, Reading } from './facts.ts'
import { cleanName } from './names.ts'
import { spanOf } from './read-dates.ts'
import { type Found, factsOfSentence, isTimed } from './sentence-facts.ts'

/** Characters of an episode and of a sentence that rules look at: patterns on more take too long. */
const longestText = 8_000
const longestSentence = 400
const mostFacts = 20

/** What one episode says, by rules: English sentences of who does what to whom, and when. */
export async function readOffline(episode: SaidText): Promise<Reading> {
  const { extractEntities } = await import('../../models/offline/extract.ts')
  const entities = await extractEntities(`${episode.content}\n\n${episode.reply}`)
  const facts: Fact[] = []
  for (const sentence of sentences(episode.content.slice(0, longestText)).flatMap(clauses)) {
    if (facts.length >= mostFacts || sentence.length > longestSentence) continue
    const found = await factsOfSentence(sentence, { trust: episode.trust, entities })
    facts.push(...(await dated(found, sentence, Date.parse(episode.created_at))))
  }
  return { entities, facts: facts.slice(0, mostFacts), topics: [], summary: null }
}

/** Each with a person of its own, so that a date belongs to what stands beside it. */
const clauses = (sentence: string): string[] =>
  sentence.split(/[,;]?\s+(?:and|but)\s+(?=(?:I|he|she|we|they)\b)/)

async function dated(found: readonly Found[], sentence: string, now: number): Promise<Fact[]> {
  if (found.length === 0) return []
  const { valid_at, ended_at } = await spanOf(sentence, now)
  return found.map(({ over, ...one }) => ({
    ...one,
    subject: cleanName(one.subject),
    object: cleanName(one.object),
    fact: sentence.trim(),
    valid_at: (over && ended_at === null) || !isTimed(one.type) ? null : valid_at,
    ended_at: over ? (ended_at ?? valid_at ?? iso(now)) : ended_at,
  }))
}
