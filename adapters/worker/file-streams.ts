import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ByteSpan, StreamedFile } from '../../runtime/ports/files.ts'
import type { SqlStorage } from './platform.ts'

/** A value of the platform's SQLite may take 2 MB. */
export const pieceBytes = 1024 * 1024

interface Incoming {
  root: string
  pieces: AsyncIterable<Uint8Array>
}

/** Stores pieces under a path that no file can have; `finish` gives them their own in one transaction. */
export async function writeStream(
  sql: SqlStorage,
  { root, pieces }: Incoming,
  finish: (temporary: string, size: number) => Promise<void>,
): Promise<StreamedFile> {
  const temporary = `//${crypto.randomUUID()}`
  const hash = sha256.create()
  let size_bytes = 0
  let count = 0
  try {
    for await (const piece of evenPieces(pieces)) {
      hash.update(piece)
      size_bytes += piece.length
      sql.exec('INSERT INTO worker_file_pieces VALUES (?, ?, ?, ?)', root, temporary, count, piece)
      count += 1
    }
    await finish(temporary, size_bytes)
  } catch (thrown) {
    sql.exec('DELETE FROM worker_file_pieces WHERE root = ? AND path = ?', root, temporary)
    throw thrown
  }
  return { size_bytes, sha256: bytesToHex(hash.digest()) }
}

/** The same bytes in pieces of `pieceBytes`, the last one smaller. */
async function* evenPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let open = new Uint8Array(pieceBytes)
  let filled = 0
  for await (let piece of pieces) {
    while (piece.length > 0) {
      const taken = Math.min(piece.length, pieceBytes - filled)
      open.set(piece.subarray(0, taken), filled)
      filled += taken
      piece = piece.subarray(taken)
      if (filled < pieceBytes) continue
      yield open
      open = new Uint8Array(pieceBytes)
      filled = 0
    }
  }
  if (filled > 0) yield open.slice(0, filled)
}

interface Stored {
  root: string
  path: string
  size_bytes: number
}

/** One stored piece at a time. */
export function readStream(sql: SqlStorage, stored: Stored, span: ByteSpan = {}): ReadableStream<Uint8Array> {
  const { root, path, size_bytes } = stored
  const end = Math.min(span.end ?? size_bytes, size_bytes)
  let position = span.start ?? 0
  const query = 'SELECT bytes FROM worker_file_pieces WHERE root = ? AND path = ? AND piece = ?'
  return new ReadableStream({
    pull(controller) {
      const piece = Math.floor(position / pieceBytes)
      const [row] = position < end ? sql.exec(query, root, path, piece).toArray() : []
      if (!row) return controller.close()
      const from = piece * pieceBytes
      const bytes = new Uint8Array(row.bytes as ArrayBuffer).subarray(position - from, end - from)
      position += bytes.length
      controller.enqueue(bytes)
    },
  })
}
