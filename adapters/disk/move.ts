import { lstat, rename } from 'node:fs/promises'
import { PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from './codes.ts'
import type { Folder } from './folder.ts'
import { refuseTakenName } from './write.ts'

export interface Place {
  folder: Folder
  name: string
}

/** Renames a file; false when there is none. Both folders are on one disk, for they have one root. */
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
