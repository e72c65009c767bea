import type { Trust } from '../../trust.ts'

export interface EpisodeText {
  id: string
  content: string
  reply: string
  updated_at: string
}

/** An episode to read facts from, with the columns that a reading may fill in. */
export interface FactText extends EpisodeText {
  trust: Trust
  created_at: string
  summary: string | null
  /** JSON. */
  topics: string
  agent_id: string | null
  source: string
}

/** A fact of an episode that is to be stored. Source and target are name keys. */
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
export interface StoredFact extends Omit<Claim, 'episode_id'> {
  id: string
  invalid_at: string | null
}

export interface Placement {
  claim: Claim
  relation: StoredFact
  /** The fact is new. */
  fresh: boolean
}
