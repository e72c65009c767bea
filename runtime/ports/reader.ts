import type { FactText, Reading } from '../memory/graph/facts.ts'
import type { NamedEntity } from '../memory/graph/mentions.ts'

/** The parts of an episode from which facts are extracted. */
export type SaidText = Pick<FactText, 'content' | 'reply' | 'trust' | 'created_at'>

/** The reader failed; the texts may be fine. The message is safe to show. */
export class ReaderError extends Error {
  override name = 'ReaderError'
}

/**
 * Analyzes texts with grammar rules, which takes milliseconds per text: in a thread if the host has threads, else
 * yielding to the event loop between texts. Every implementation passes `test/contracts/reader.ts`.
 */
export interface Reader {
  /** The names in each text. Throws `ReaderError` or the signal's reason. */
  names(texts: readonly string[], signal?: AbortSignal): Promise<NamedEntity[][]>
  /** The facts in each text. Throws `ReaderError` or the signal's reason. */
  facts(texts: readonly SaidText[], signal?: AbortSignal): Promise<Reading[]>
  /** Releases its resources. */
  close(): Promise<void>
}
