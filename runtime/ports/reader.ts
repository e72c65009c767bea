import type { FactText, Reading } from '../memory/graph/facts.ts'
import type { NamedEntity } from '../memory/graph/mentions.ts'

/** What of an episode is read for facts. */
export type SaidText = Pick<FactText, 'content' | 'reply' | 'trust' | 'created_at'>

/** The texts could not be read, which says nothing about them. The message is safe to show. */
export class ReaderError extends Error {
  override name = 'ReaderError'
}

/**
 * Reads texts by rules of grammar, which take milliseconds each: beside the event loop where the host has threads, else
 * with turns for others between two texts. Every implementation passes `test/contracts/reader.ts`.
 */
export interface Reader {
  /** The names that each text holds. Throws `ReaderError`, or the reason of the signal. */
  names(texts: readonly string[], signal?: AbortSignal): Promise<NamedEntity[][]>
  /** What each text says. Throws `ReaderError`, or the reason of the signal. */
  facts(texts: readonly SaidText[], signal?: AbortSignal): Promise<Reading[]>
  /** Lets go of what it holds. */
  close(): Promise<void>
}
