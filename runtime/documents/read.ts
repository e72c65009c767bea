import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import { type DocumentKind, type DocumentText, ReaderError } from '../ports/reader.ts'
import { processState } from '../process-state.ts'
import { DocumentError, maxDocumentBytes } from './document.ts'

/** Characters that are read of one document. */
const maxCharacters = 100_000

/** A text, or why there is none: "it is encrypted". */
export type DocumentRead = DocumentText | { why: string }

/** Texts of the documents that were read last, by the hash of their bytes: every step of a turn needs them again. */
const texts = processState(
  () =>
    new LRUCache<string, DocumentRead>({
      max: 100,
      maxSize: 2_000_000,
      sizeCalculation: (read) => ('text' in read ? read.text.length + 100 : 100),
    }),
)

/** The text of a document. A document that cannot be read is no error here. */
export async function readDocument(context: Context, kind: DocumentKind, bytes: Uint8Array): Promise<DocumentRead> {
  if (bytes.length > maxDocumentBytes) return { why: 'it is too large to be read as text' }
  const hash = await crypto.subtle.digest('SHA-256', bytes as BufferSource)
  const key = `${kind} ${new Uint8Array(hash).join()}`
  const cached = texts(context).get(key)
  if (cached) return cached
  const read = await context.reader
    .document({ kind, bytes, max_characters: maxCharacters }, context.signal)
    .catch((thrown: unknown) => {
      if (thrown instanceof DocumentError) return { why: thrown.message }
      if (!(thrown instanceof ReaderError)) throw thrown
      context.log.write('warn', 'a document could not be read', { kind, error: thrown.message })
      return { why: 'it cannot be read as text: reading it failed' }
    })
  texts(context).set(key, read)
  return read
}
