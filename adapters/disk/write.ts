import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { unavailable } from '../../runtime/fault.ts'
import { PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from './codes.ts'
import type { Folder } from './folder.ts'

const temporaryName = /^\.hearthd-[0-9a-f]{24}\.tmp$/

/** True for what a write that was cut off left behind. */
export const isTemporary = (name: string): boolean => temporaryName.test(name)

const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export const writeFile = (folder: Folder, name: string, bytes: Uint8Array): Promise<void> =>
  writePieces(folder, name, [bytes])

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * Writes aside in the same folder, then renames: a reader sees the old file or the new one, also after a crash.
 * A rename replaces a link instead of following it, so a link that appears at the last moment is harmless.
 */
export async function writePieces(folder: Folder, name: string, pieces: Pieces): Promise<void> {
  await refuseTakenName(folder.entry(name))
  const temporary = folder.entry(`.hearthd-${randomBytes(12).toString('hex')}.tmp`)
  try {
    await fill(folder, temporary, pieces)
    await folder.verify()
    await rename(temporary, folder.entry(name))
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw explain(error)
  }
  await folder.sync()
}

async function fill(folder: Folder, path: string, pieces: Pieces): Promise<void> {
  const file = await open(path, newFileFlags, 0o600)
  try {
    await folder.verify()
    for await (const piece of pieces) await file.writeFile(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function refuseTakenName(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null)
  if (stat?.isSymbolicLink()) throw new PathRefused('a symbolic link has that name')
  if (stat && !stat.isFile()) throw new PathRefused('a folder has that name')
}

function explain(error: unknown): unknown {
  if (isCode(error, 'EISDIR', 'ENOTEMPTY')) return new PathRefused('a folder has that name')
  if (isCode(error, 'ENOSPC', 'EDQUOT')) return unavailable('The disk is full; nothing was changed')
  return error
}
