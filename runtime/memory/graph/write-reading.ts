import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { Trust } from '../schema.ts'
import { forgetFacts, placeFact, standingFacts } from './fact-store.ts'
import { type Claim, owner, placeClaims, type Reading } from './facts.ts'
import { type GraphState, guardGraph } from './generations.ts'
import { type EpisodeText, type Method, markRead, replaceMentions } from './mention-store.ts'
import { hashOf, type Named, toMentions } from './mentions.ts'
import { nameKey } from './names.ts'
import { isExclusive } from './predicates.ts'

/** An episode as it is read for facts. */
export interface FactText extends EpisodeText {
  trust: Trust
  created_at: string
}

export interface ReadText {
  episode: FactText
  reading: Reading
}

/**
 * The statements that store what a batch of episodes says, in the place of what they said before. One commit: the
 * graph never holds half of a batch.
 */
export async function readingStatements(
  host: Pick<Host, 'sql' | 'clock' | 'secrets'>,
  batch: readonly ReadText[],
  { state, method }: { state: GraphState; method: Method },
): Promise<Statement[]> {
  const now = iso(host.clock.now())
  const claims = batch.flatMap(claimsOf)
  const episodes = batch.map(({ episode }) => episode.id)
  const sources = [...new Set(claims.map(({ source }) => source))]
  const standing = await standingFacts(host, state, { sources, episodes })
  const placed = placeClaims(standing, claims, { isExclusive, id: () => newId('rel', host.clock.now()) })
  const read = batch.map(({ episode, reading }) => ({
    episode: { ...episode, hash: hashOf(host, episode) },
    mentions: toMentions(host, namesOf(reading), `${episode.content}\n\n${episode.reply}`),
  }))
  return [
    guardGraph(state),
    forgetFacts(state, episodes),
    ...replaceMentions({ read, now, state }),
    ...placed.flatMap((one) => placeFact(one, { state, now, exclusive: isExclusive(one.claim.type) })),
    ...(['mentions', 'facts'] as const).map((reading) =>
      markRead({ episodes: read.map(({ episode }) => episode), reading, method, now, state }),
    ),
  ]
}

/** The entities, and what facts speak of besides. */
function namesOf({ entities, facts }: Reading): Named[] {
  const ends = facts.flatMap(({ subject, object }) => [subject, object])
  const others = ends.map(
    (name): Named => (nameKey(name) === nameKey(owner.name) ? owner : { name, type: 'other' }),
  )
  // The ends of facts come first: a fact must not lose one to the limit of a text that names very much.
  const types = new Map(entities.map(({ name, type }) => [nameKey(name), type]))
  return [...others.map((one) => ({ ...one, type: types.get(nameKey(one.name)) ?? one.type })), ...entities]
}

/** Nobody says since when: as of the episode, or as of its end for what was over by then. */
const beginning = ({ created_at }: FactText, ended: string | null): string =>
  ended !== null && ended < created_at ? ended : created_at

function claimsOf({ episode, reading }: ReadText): Claim[] {
  return reading.facts
    .map(({ subject, object, ...fact }) => ({
      ...fact,
      episode_id: episode.id,
      source: nameKey(subject),
      target: nameKey(object),
      valid_at: fact.valid_at ?? beginning(episode, fact.ended_at),
      external: episode.trust === 'external',
    }))
    .filter(({ source, target, type }) => source !== '' && target !== '' && source !== target && type !== '')
}
