import type { EntityType } from '../english/entity-type.ts'
import type { Trust } from '../trust.ts'

/** The parts of an episode from which facts are extracted. */
export interface SaidText {
  content: string
  reply: string
  trust: Trust
  created_at: string
}

export interface NamedEntity {
  name: string
  type: EntityType
}

/** A fact as it was read in an episode. */
export interface Fact {
  subject: string
  /** The canonical predicate. */
  type: string
  object: string
  /** The fact as a sentence. */
  fact: string
  /** ISO 8601, from the text. Null: the time of the episode. */
  valid_at: string | null
  /** When it ended, according to the text. */
  ended_at: string | null
}

/** What was read in one episode. */
export interface Reading {
  entities: NamedEntity[]
  facts: Fact[]
  topics: string[]
  summary: string | null
}

/** `old`: the container of office files of before 2007, and of encrypted ones. `xml`: objects, as JSON. */
export type DocumentKind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'old' | 'xml'

/** The rows to read of a workbook; of the first sheet if it has no name. */
export interface SheetChoice {
  sheet: string
  max_rows: number
}

export interface DocumentCall {
  kind: DocumentKind
  bytes: Uint8Array
  max_characters: number
  /** Only of kind `xlsx`: its rows, each as a JSON list on a line of its own, instead of its text. */
  rows?: SheetChoice
}

export interface DocumentText {
  text: string
  truncated: boolean
}

/** The reader failed; the texts may be fine. The message is safe to show. */
export class ReaderError extends Error {
  override name = 'ReaderError'
}

/**
 * Analyzes texts with grammar rules, which takes milliseconds per text, and reads documents, which may take seconds:
 * in threads and processes if the host has them, else yielding to the event loop between texts or pages. Every implementation passes `test/contracts/reader.ts`.
 */
export interface Reader {
  /** The names in each text. Throws `ReaderError` or the signal's reason. */
  names(texts: readonly string[], signal?: AbortSignal): Promise<NamedEntity[][]>
  /** The facts in each text. Throws `ReaderError` or the signal's reason. */
  facts(texts: readonly SaidText[], signal?: AbortSignal): Promise<Reading[]>
  /** The text of a PDF or office file. Throws `DocumentError`, `ReaderError` or the signal's reason. */
  document(call: DocumentCall, signal?: AbortSignal): Promise<DocumentText>
  /** Releases its resources. */
  close(): Promise<void>
}
