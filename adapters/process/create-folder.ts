import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a private folder and the ones above it, one by one: Node's recursive `mkdir` never returns below a folder that
 * allows no new ones, such as /proc. Throws the errors of `mkdir`, and `ENOTDIR` for a link that leads to no folder.
 */
export function createFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw Object.assign(new Error(`ENOTDIR: ${path} is a link, but not to a folder`), { code: 'ENOTDIR' })
  if (dirname(path) !== path) createFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
