import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from './codes.ts'
import type { Folder } from './folder.ts'

/** `O_NONBLOCK`: opening a pipe that somebody put there must not wait for its other end. */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The bytes of a file, at most `max_bytes`; null when there is no file of that name. */
export async function readFile(
  folder: Folder,
  name: string,
  max_bytes = Infinity,
): Promise<Uint8Array | null> {
  const opened = await openFile(folder, name)
  if (!opened) return null
  try {
    return await readBytes(opened.file, Math.min(opened.size, max_bytes))
  } finally {
    await opened.file.close()
  }
}

/** An open regular file, to be closed by the caller; null when there is none of that name. */
export async function openFile(
  folder: Folder,
  name: string,
): Promise<{ file: FileHandle; size: number } | null> {
  await refuseLink(folder.entry(name))
  const file = await open(folder.entry(name), readFlags).catch(explain)
  if (!file) return null
  try {
    await folder.verify()
    const stat = await file.stat()
    if (stat.isFile()) return { file, size: stat.size }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return null
}

/** Where the system has no `O_NOFOLLOW`, this is what finds links. */
async function refuseLink(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null)
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
}

function explain(error: unknown): null {
  if (isCode(error, 'ELOOP', 'EMLINK')) throw new PathRefused('the path is a symbolic link')
  // A socket answers ENXIO, a folder EISDIR on some systems.
  if (isCode(error, 'ENOENT', 'ENXIO', 'EISDIR')) return null
  throw error
}

/** A file that grows meanwhile is cut, one that shrinks gives what is left. */
async function readBytes(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
