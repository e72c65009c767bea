import { accessSync, chmodSync, constants, lstatSync, statSync } from 'node:fs'
import { createFolder } from '../process/files.ts'

/** The data folder cannot be used; the message says why and what to do. */
export class FolderUnusable extends Error {
  override name = 'FolderUnusable'
}

const reasons: Record<string, string> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'its file system does not allow new folders',
  ELOOP: 'the path is a circle of links',
  ENAMETOOLONG: 'the path is too long',
  EACCES: 'this user may not write there',
  EPERM: 'it belongs to another user',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

/** Creates the folder if needed, and checks that it is private and can be written. */
export function prepareDataFolder(path: string): void {
  try {
    if (isBrokenLink(path)) throw unusable(path, 'it is a link, but not to a folder')
    createFolder(path)
    if (process.platform !== 'win32') makePrivate(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (thrown) {
    if (thrown instanceof FolderUnusable) throw thrown
    const reason = reasons[String((thrown as NodeJS.ErrnoException).code)]
    if (!reason) throw thrown
    throw unusable(path, reason)
  }
}

const isBrokenLink = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
  statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true

const stickyBit = 0o1000

/** Removes other users' access, except to a folder that is meant to be shared, such as /tmp. */
function makePrivate(path: string): void {
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return
  if (mode & stickyBit) throw unusable(path, 'it is shared with other users')
  chmodSync(path, 0o700)
}

const unusable = (path: string, reason: string) =>
  new FolderUnusable(`Cannot use the data folder ${path}: ${reason}. Choose another with SERVICE_DATA_DIR`)
