import type { EntityType } from '../schema.ts'
import type { Named } from './mentions.ts'

/** One fact, as it was read in an episode. */
export interface Fact {
  subject: string
  /** See `predicates.ts`. */
  type: string
  object: string
  /** As a sentence. */
  fact: string
  /** ISO 8601, from the text; null: as of the episode. */
  valid_at: string | null
  /** When the text says that it ended. */
  ended_at: string | null
}

/** What somebody has read in one episode. */
export interface Reading {
  entities: Named[]
  facts: Fact[]
  topics: string[]
  summary: string | null
}

/** Who says "I" in what the owner says. */
export const owner = { name: 'Owner', type: 'person' as EntityType }

/** A fact to be stored, its ends by the keys of their names. */
export interface Claim {
  episode_id: string
  source: string
  target: string
  type: string
  fact: string
  valid_at: string
  ended_at: string | null
  external: boolean
}

/** A fact that is stored or about to be. */
export interface Standing extends Omit<Claim, 'episode_id'> {
  id: string
  invalid_at: string | null
}

export interface Placement {
  claim: Claim
  relation: Standing
  /** It says what nothing has said before. */
  fresh: boolean
}

/**
 * Where each claim belongs: to the fact that held at its time, to the same fact that is known from a later time if
 * nothing else held in between, or to a fact of its own. So somebody who moves away and back has lived there twice.
 */
export function placeClaims(
  standing: readonly Standing[],
  claims: readonly Claim[],
  { isExclusive, id }: { isExclusive(type: string): boolean; id(): string },
): Placement[] {
  const known = [...standing]
  return [...claims].sort(byTime).map((claim) => {
    const group = known.filter((one) => one.source === claim.source && one.type === claim.type)
    const found = placeOf(claim, group, isExclusive(claim.type))
    if (found) {
      found.valid_at = earlier(found.valid_at, claim.valid_at)
      found.ended_at = claim.ended_at ?? found.ended_at
      found.external &&= claim.external
      return { claim, relation: found, fresh: false }
    }
    const { episode_id: _, ...fields } = claim
    const relation = { ...fields, id: id(), invalid_at: null }
    known.push(relation)
    return { claim, relation, fresh: true }
  })
}

function placeOf(claim: Claim, group: Standing[], single: boolean): Standing | undefined {
  const same = group.filter(({ target }) => target === claim.target)
  if (!single) return same.find((one) => endOf(one) > claim.valid_at || one.ended_at === null)
  const others = group.filter(
    ({ target, external }) => target !== claim.target && (!external || claim.external),
  )
  const apart = (one: Standing) => {
    const [from, to] = [earlier(one.valid_at, claim.valid_at), later(one.valid_at, claim.valid_at)]
    return others.some(({ valid_at }) => valid_at > from && valid_at <= to)
  }
  return same.find((one) => (one.ended_at === null || one.ended_at > claim.valid_at) && !apart(one))
}

const endOf = ({ ended_at }: Standing) => ended_at ?? '~'
const earlier = (left: string, right: string) => (left < right ? left : right)
const later = (left: string, right: string) => (left > right ? left : right)
const byTime = (left: Claim, right: Claim) => left.valid_at.localeCompare(right.valid_at)
