import type { Context } from '../../context.ts'
import type { EntityType } from '../../english/entity-type.ts'
import { newId } from '../../id.ts'
import type { NamedEntity, Reading } from '../../ports/reader.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { type GraphState, guardGraph } from './generation-store.ts'
import { hashOf, toMentions } from './mentions.ts'
import { isExclusive, nameKey } from './names.ts'
import {
  type Claim,
  type FactText,
  type Method,
  markRead,
  type Placement,
  placeFact,
  removeEvidence,
  replaceMentions,
  type StoredFact,
  storedFacts,
} from './store.ts'

/** The entity for "I" in the owner's texts. */
export const owner = { name: 'Owner', type: 'person' as EntityType }

/**
 * Assigns each claim to a fact: the one that held at its time, the same fact with a later start if no other held in
 * between, or a new one. So somebody who moves away and back has lived there twice.
 */
export function placeClaims(
  stored: readonly StoredFact[],
  claims: readonly Claim[],
  { isExclusive, id }: { isExclusive(type: string): boolean; id(): string },
): Placement[] {
  const facts = [...stored]
  return [...claims].sort(byTime).map((claim) => {
    const group = facts.filter((one) => one.source === claim.source && one.type === claim.type)
    const fact = factFor(claim, group, isExclusive(claim.type))
    if (fact) {
      fact.valid_at = earlier(fact.valid_at, claim.valid_at)
      fact.ended_at = claim.ended_at ?? fact.ended_at
      fact.external &&= claim.external
      return { claim, relation: fact, fresh: false }
    }
    const { episode_id: _, ...fields } = claim
    const relation = { ...fields, id: id(), invalid_at: null }
    facts.push(relation)
    return { claim, relation, fresh: true }
  })
}

function factFor(claim: Claim, group: StoredFact[], exclusive: boolean): StoredFact | undefined {
  const same = group.filter(({ target }) => target === claim.target)
  if (!exclusive) return same.find((one) => endOf(one) > claim.valid_at || one.ended_at === null)
  const others = group.filter(({ target, external }) => target !== claim.target && (!external || claim.external))
  const separated = (one: StoredFact) => {
    const [from, to] = [earlier(one.valid_at, claim.valid_at), later(one.valid_at, claim.valid_at)]
    return others.some(({ valid_at }) => valid_at > from && valid_at <= to)
  }
  return same.find((one) => (one.ended_at === null || one.ended_at > claim.valid_at) && !separated(one))
}

/** `~` is greater than any time. */
const endOf = ({ ended_at }: StoredFact) => ended_at ?? '~'
const earlier = (left: string, right: string) => (left < right ? left : right)
const later = (left: string, right: string) => (left > right ? left : right)
const byTime = (left: Claim, right: Claim) => left.valid_at.localeCompare(right.valid_at)

export interface ReadText {
  episode: FactText
  reading: Reading
}

/**
 * The statements that store the readings of a batch and replace earlier ones. They belong in one commit, so that the graph
 * never contains half a batch.
 */
export async function readingStatements(
  host: Pick<Context, 'sql' | 'clock' | 'secrets' | 'caller'>,
  batch: readonly ReadText[],
  { state, method }: { state: GraphState; method: Method },
): Promise<Statement[]> {
  const now = iso(host.clock.now())
  const claims = batch.flatMap(claimsOf)
  const episodes = batch.map(({ episode }) => episode.id)
  const sources = [...new Set(claims.map(({ source }) => source))]
  const stored = await storedFacts(host, state, { sources, episodes })
  const placed = placeClaims(stored, claims, { isExclusive, id: () => newId('rel', host.clock.now()) })
  const read = batch.map(({ episode, reading }) => ({
    episode: { ...episode, hash: hashOf(host, episode) },
    mentions: toMentions(host, entitiesIn(reading), `${episode.content}\n\n${episode.reply}`),
  }))
  return [
    guardGraph(state),
    removeEvidence(state, episodes),
    ...replaceMentions({ read, now, state }),
    ...placed.flatMap((one) => placeFact(one, { state, now, exclusive: isExclusive(one.claim.type) })),
    ...(['mentions', 'facts'] as const).map((reading) =>
      markRead({ episodes: read.map(({ episode }) => episode), reading, method, now, state }),
    ),
  ]
}

/** The entities of a reading and the subjects and objects of its facts. */
function entitiesIn({ entities, facts }: Reading): NamedEntity[] {
  const ends = facts.flatMap(({ subject, object }) => [subject, object])
  const others = ends.map(
    (name): NamedEntity => (nameKey(name) === nameKey(owner.name) ? owner : { name, type: 'other' }),
  )
  // Subjects and objects come first, so that the limit of entities never removes one.
  const types = new Map(entities.map(({ name, type }) => [nameKey(name), type]))
  return [...others.map((one) => ({ ...one, type: types.get(nameKey(one.name)) ?? one.type })), ...entities]
}

/** Without a date in the text a fact starts with the episode, or at its end if that is earlier. */
const defaultStart = ({ created_at }: FactText, ended: string | null): string =>
  ended !== null && ended < created_at ? ended : created_at

function claimsOf({ episode, reading }: ReadText): Claim[] {
  return reading.facts
    .map(({ subject, object, ...fact }) => ({
      ...fact,
      episode_id: episode.id,
      source: nameKey(subject),
      target: nameKey(object),
      valid_at: fact.valid_at ?? defaultStart(episode, fact.ended_at),
      external: episode.trust === 'external',
    }))
    .filter(({ source, target, type }) => source !== '' && target !== '' && source !== target && type !== '')
}
