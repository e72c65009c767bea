import type { Stats } from 'node:fs'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { type FileEntry, PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from './codes.ts'
import type { Folder } from './folder.ts'
import { isTemporary } from './write.ts'

/** Milliseconds after which an unfinished write is certainly a dead one. */
const abandonedAfter = 60 * 60 * 1000

/** The files and folders in a folder, by name; links and devices are not ours and are left out. */
export async function listFolder(folder: Folder, prefix: string): Promise<FileEntry[]> {
  const names = await readdir(folder.entry('.'))
  const entries: FileEntry[] = []
  for (const name of names.sort()) {
    const stat = await look(folder, name)
    if (stat && isTemporary(name)) await sweep(folder.entry(name), stat)
    else if (stat) entries.push(...toEntries(prefix + name, stat))
  }
  await folder.verify()
  return entries
}

/** Null for a missing one, and for what is neither file nor folder. */
export async function statEntry(folder: Folder, name: string, path: string): Promise<FileEntry | null> {
  const stat = await look(folder, name)
  await folder.verify()
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
  return stat ? (toEntries(path, stat)[0] ?? null) : null
}

/** Removes a file, or a folder with everything in it. False when there was nothing. */
export async function removeEntry(folder: Folder, name: string): Promise<boolean> {
  const stat = await look(folder, name)
  await folder.verify()
  if (stat?.isSymbolicLink()) throw new PathRefused('the path is a symbolic link')
  if (!stat) return false
  return stat.isDirectory() ? removeFolder(folder, name) : gone(unlink(folder.entry(name)))
}

/** Links inside are removed themselves; where they lead stays. */
async function removeFolder(parent: Folder, name: string): Promise<boolean> {
  const folder = await parent.step(name, { create: false })
  if (!folder) return false
  try {
    for (const entry of await readdir(folder.entry('.'))) {
      const isFolder = (await look(folder, entry))?.isDirectory() ?? false
      if (isFolder) await removeFolder(folder, entry)
      else await gone(unlink(folder.entry(entry)))
    }
  } finally {
    await folder.close()
  }
  return gone(rmdir(parent.entry(name)))
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
