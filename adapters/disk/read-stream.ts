import type { FileHandle } from 'node:fs/promises'
import type { ByteSpan } from '../../runtime/ports/files.ts'
import type { Folder } from './folder.ts'
import { openFile } from './read.ts'

const pieceBytes = 64 * 1024

/** The bytes of a file, read as they are asked for; null when there is no file of that name. */
export async function readFileStream(
  folder: Folder,
  name: string,
  { start = 0, end = Infinity }: ByteSpan,
): Promise<ReadableStream<Uint8Array> | null> {
  const opened = await openFile(folder, name)
  return opened && streamOf(opened.file, { start, end: Math.min(end, opened.size) })
}

/** Closes the file at its end, when it fails and when nobody wants more. */
function streamOf(file: FileHandle, { start, end }: Required<ByteSpan>): ReadableStream<Uint8Array> {
  let position = start
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = new Uint8Array(Math.max(0, Math.min(pieceBytes, end - position)))
        try {
          const { bytesRead } =
            piece.length === 0 ? { bytesRead: 0 } : await file.read(piece, 0, piece.length, position)
          position += bytesRead
          if (bytesRead > 0) return controller.enqueue(piece.subarray(0, bytesRead))
          await file.close()
          controller.close()
        } catch (error) {
          await file.close().catch(() => undefined)
          controller.error(error)
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}
