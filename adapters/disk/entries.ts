import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { unavailable } from '../../runtime/fault.ts'
import { refusePath } from '../../runtime/paths.ts'
import { type ByteSpan, type FileEntry, PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from '../process/files.ts'
import type { Folder } from './folder.ts'

/** `O_NONBLOCK`: opening a pipe must not wait for its other end. */
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The bytes of a file, at most `max_bytes`; null if there is no such file. */
export async function readFile(folder: Folder, name: string, max_bytes = Infinity): Promise<Uint8Array | null> {
  const opened = await openFile(folder, name)
  if (!opened) return null
  try {
    return await readBytes(opened.file, Math.min(opened.size, max_bytes))
  } finally {
    await opened.file.close()
  }
}

/** An open regular file, to be closed by the caller; null if there is no such file. */
async function openFile(folder: Folder, name: string): Promise<{ file: FileHandle; size: number } | null> {
  await refuseLink(folder.entry(name))
  const file = await open(folder.entry(name), readFlags).catch(explainRead)
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

/** Finds links on systems without `O_NOFOLLOW`. */
async function refuseLink(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null)
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
}

function explainRead(error: unknown): null {
  if (isCode(error, 'ELOOP', 'EMLINK')) throw new PathRefused('the path is a symbolic link')
  // A socket answers ENXIO, a folder EISDIR on some systems.
  if (isCode(error, 'ENOENT', 'ENXIO', 'EISDIR')) return null
  throw error
}

/** A file that grows while it is read is truncated; for one that shrinks, the rest is returned. */
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

const pieceBytes = 64 * 1024

/** The bytes of a file, read on demand; null if there is no such file. */
export async function readFileStream(
  folder: Folder,
  name: string,
  { start = 0, end = Infinity }: ByteSpan,
): Promise<ReadableStream<Uint8Array> | null> {
  const opened = await openFile(folder, name)
  return opened && streamOf(opened.file, { start, end: Math.min(end, opened.size) })
}

/** Closes the file at its end, on errors and on cancellation. */
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

const temporary = () => `.hearthd-${randomBytes(12).toString('hex')}.tmp`
const temporaryName = /^\.hearthd-[0-9a-f]{24}\.tmp$/

/** Whether an interrupted write left this file. */
const isTemporary = (name: string): boolean => temporaryName.test(name)

const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>
/** Runs the step that replaces the file. */
export type Finish = (rename: () => Promise<void>) => Promise<void>

/**
 * Writes to a temporary file in the same folder, then renames it: a reader sees the old or the new file, even
 * after a crash. A rename replaces a link instead of following it, so a link that appears at the last moment
 * is harmless.
 */
export async function writePieces(
  folder: Folder,
  name: string,
  { pieces, finish = (rename) => rename() }: { pieces: Pieces; finish?: Finish | undefined },
): Promise<void> {
  const old = await refuseTakenName(folder.entry(name))
  const kept = folder.modes.keep && old ? old.mode & 0o777 : null
  const unfinished = folder.entry(temporary())
  try {
    await fill(folder, unfinished, { pieces, kept })
    await folder.verify()
    await finish(() => rename(unfinished, folder.entry(name)))
  } catch (error) {
    await unlink(unfinished).catch(() => undefined)
    throw explainWrite(error)
  }
  await folder.sync()
}

async function fill(
  folder: Folder,
  path: string,
  { pieces, kept }: { pieces: Pieces; kept: number | null },
): Promise<void> {
  const file = await open(path, newFileFlags, folder.modes.file)
  try {
    if (kept !== null) await file.chmod(kept)
    await folder.verify()
    if (folder.modes.owner) await file.chown(folder.modes.owner.uid, folder.modes.owner.gid)
    for await (const piece of pieces) await file.writeFile(piece)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The file that has this name; null if there is none. */
async function refuseTakenName(path: string): Promise<Stats | null> {
  const stat = await lstat(path).catch(() => null)
  if (stat?.isSymbolicLink()) throw new PathRefused('the name is that of a symbolic link')
  if (stat && !stat.isFile()) throw new PathRefused('the name is that of a folder')
  return stat
}

function explainWrite(error: unknown): unknown {
  if (isCode(error, 'EISDIR', 'ENOTEMPTY')) return new PathRefused('the name is that of a folder')
  if (isCode(error, 'ENOSPC', 'EDQUOT')) return unavailable('The disk is full; nothing was changed')
  return error
}

export interface Place {
  folder: Folder
  name: string
}

/** Renames a file; false if there is none. Both folders have one root, so they are on one disk. */
export async function moveFile(from: Place, to: Place): Promise<boolean> {
  const stat = await lstat(from.folder.entry(from.name)).catch(() => null)
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
  if (!stat?.isFile()) return false
  await refuseTakenName(to.folder.entry(to.name))
  await from.folder.verify()
  await to.folder.verify()
  try {
    await rename(from.folder.entry(from.name), to.folder.entry(to.name))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
  await to.folder.sync()
  return true
}

/** Milliseconds after which an unfinished write has certainly crashed. */
const abandonedAfter = 60 * 60 * 1000

/** The files and folders in a folder, by name; links and devices are left out. */
export async function listFolder(folder: Folder, prefix: string): Promise<FileEntry[]> {
  const names = await readdir(folder.entry('.'))
  const entries: FileEntry[] = []
  for (const name of names.sort()) {
    // A folder of the machine may contain names that no root of ours allows.
    if (refusePath(prefix + name)) continue
    const stat = await look(folder, name)
    if (stat && isTemporary(name)) await sweep(folder.entry(name), stat)
    else if (stat) entries.push(...toEntries(prefix + name, stat))
  }
  await folder.verify()
  return entries
}

/** Null for a missing entry, and for one that is neither a file nor a folder. */
export async function statEntry(folder: Folder, name: string, path: string): Promise<FileEntry | null> {
  const stat = await look(folder, name)
  await folder.verify()
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
  return stat ? (toEntries(path, stat)[0] ?? null) : null
}

/** Removes a file, or a folder with its contents. False if there was none. */
export async function removeEntry(folder: Folder, name: string): Promise<boolean> {
  const stat = await look(folder, name)
  await folder.verify()
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
  if (!stat) return false
  return stat.isDirectory() ? removeFolder(folder, name) : gone(unlink(folder.entry(name)))
}

/** Removes links inside, not their targets. Deep folders are moved up first, so that few are open at once. */
export async function removeFolder(parent: Folder, name: string): Promise<boolean> {
  const folder = await parent.step(name, { create: false })
  if (!folder) return false
  try {
    const names = () => readdir(folder.entry('.'))
    for (let inside = await names(); inside.length > 0; inside = await names())
      for (const entry of inside) await removeFlat(folder, entry)
  } finally {
    await folder.close()
  }
  return gone(rmdir(parent.entry(name)))
}

/** Removes an entry; folders in it become entries of `top`. */
async function removeFlat(top: Folder, name: string): Promise<void> {
  const isFolder = async (folder: Folder, entry: string) => (await look(folder, entry))?.isDirectory() ?? false
  if (!(await isFolder(top, name))) return void (await gone(unlink(top.entry(name))))
  const below = await top.step(name, { create: false })
  if (!below) return
  try {
    for (const entry of await readdir(below.entry('.')))
      if (await isFolder(below, entry)) await rename(below.entry(entry), top.entry(temporary()))
      else await gone(unlink(below.entry(entry)))
  } finally {
    await below.close()
  }
  await gone(rmdir(top.entry(name)))
}

interface Left {
  entries: number
  /** Levels of folders, each of which is open. */
  depth: number
}

/** Bytes on the disk, of which a sparse file takes few; `Infinity` if they cannot be counted. Never follows a link. */
export async function folderBytes(folder: Folder, left: Left): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder.entry('.'))) {
    left.entries -= 1
    if (left.entries < 0 || left.depth < 0) return Number.POSITIVE_INFINITY
    const stat = await look(folder, name)
    bytes += (stat?.blocks ?? 0) * blockBytes
    if (stat?.isDirectory()) bytes += await bytesBelow(folder, name, left)
  }
  return bytes
}

/** The unit of `Stats.blocks` on every system. */
const blockBytes = 512

async function bytesBelow(parent: Folder, name: string, left: Left): Promise<number> {
  left.depth -= 1
  try {
    const below = await parent.step(name, { create: false })
    return below ? await folderBytes(below, left).finally(() => below.close()) : 0
  } catch (error) {
    // A link has replaced the folder.
    if (error instanceof PathRefused) return 0
    if (isCode(error, 'EACCES', 'EPERM')) return Number.POSITIVE_INFINITY
    throw error
  } finally {
    left.depth += 1
  }
}

const gone = (removal: Promise<void>): Promise<boolean> =>
  removal.then(
    () => true,
    (error) => {
      if (isCode(error, 'ENOENT')) return false
      throw error
    },
  )

async function look(folder: Folder, name: string): Promise<Stats | null> {
  return lstat(folder.entry(name)).catch((error) => {
    if (isCode(error, 'ENOENT')) return null
    throw error
  })
}

async function sweep(path: string, stat: Stats): Promise<void> {
  if (Date.now() - stat.mtimeMs > abandonedAfter) await unlink(path).catch(() => undefined)
}

function toEntries(path: string, stat: Stats): FileEntry[] {
  if (!stat.isFile() && !stat.isDirectory()) return []
  const kind = stat.isFile() ? 'file' : 'folder'
  return [{ path, kind, size_bytes: kind === 'file' ? stat.size : 0, modified_at: stat.mtime.toISOString() }]
}
