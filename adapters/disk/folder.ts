import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from './codes.ts'

/** A folder that is held open, so that it stays the same one whatever is renamed meanwhile. */
export interface Folder {
  /** The path by which to reach an entry; good until the folder is closed. */
  entry(name: string): string
  /** The folder below, or null when there is none. Rejects with `PathRefused` for a symbolic link. */
  step(name: string, options: StepOptions): Promise<Folder | null>
  /** Rejects when the path does not lead here any more; only needed where folders cannot be held. */
  verify(): Promise<void>
  /** Makes names durable after a rename. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface StepOptions {
  /** Makes a missing folder, for its owner alone. */
  create: boolean
}

/**
 * `held`: entries are reached through the open folder itself (`/proc/self/fd`), as `openat` does, so nobody can
 * swap a folder for a link in between. `checked`, for systems without it: the real path is compared before and
 * after, which leaves a gap for somebody who swaps back in time.
 */
export type Walk = 'held' | 'checked'

export const bestWalk: Walk = existsSync('/proc/self/fd') ? 'held' : 'checked'

/** Opens the folder at the top, making it when missing. It may itself be reached through links. */
export async function openTop(path: string, walk: Walk): Promise<Folder> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const real = await realpath(path)
  return walk === 'held' ? held(await open(real, folderFlags)) : checked(real)
}

/** Goes down name by name; null when one is missing. The caller closes what it gets. */
export async function descend(
  top: Folder,
  names: readonly string[],
  options: StepOptions,
): Promise<Folder | null> {
  let folder = top
  for (const name of names) {
    const below = await folder.step(name, options).finally(() => folder.close())
    if (!below) return null
    folder = below
  }
  return folder
}

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

function held(handle: FileHandle): Folder {
  const entry = (name: string) => `/proc/self/fd/${handle.fd}/${name}`
  return {
    entry,
    async step(name, options) {
      if (options.create) await makeFolder(entry(name))
      const below = await open(entry(name), folderFlags).catch((error) =>
        explain(error, entry(name), options),
      )
      return below && held(below)
    },
    verify: async () => undefined,
    sync: () => handle.sync().catch(ignoreUnsupported),
    close: () => handle.close(),
  }
}

function checked(path: string): Folder {
  const entry = (name: string) => join(path, name)
  return {
    entry,
    async step(name, options) {
      if (options.create) await makeFolder(entry(name))
      const stat = await lstat(entry(name)).catch((error) => explain(error, entry(name), options))
      if (!stat) return null
      if (!stat.isDirectory()) return refuseUnlessMissing(stat.isSymbolicLink(), options)
      return checked(entry(name))
    },
    async verify() {
      const real = await realpath(path).catch(() => null)
      if (real !== path) throw new PathRefused('the folder was moved or replaced')
    },
    sync: async () => undefined,
    close: async () => undefined,
  }
}

/** Some network file systems have no sync for folders. */
function ignoreUnsupported(error: unknown): void {
  if (!isCode(error, 'EINVAL', 'ENOTSUP')) throw error
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (!isCode(error, 'EEXIST')) throw error
  })
}

/** Linux says ENOTDIR for a link as for a file: look again to tell which. */
async function explain(error: unknown, path: string, options: StepOptions): Promise<null> {
  if (isCode(error, 'ENOENT')) return null
  if (!isCode(error, 'ENOTDIR', 'ELOOP', 'EMLINK')) throw error
  const stat = await lstat(path).catch(() => null)
  return refuseUnlessMissing(stat?.isSymbolicLink() ?? false, options)
}

/** To a reader, what lies below a file is missing; a writer cannot put anything there. */
function refuseUnlessMissing(symbolicLink: boolean, { create }: StepOptions): null {
  if (symbolicLink) throw new PathRefused('the path goes through a symbolic link')
  if (create) throw new PathRefused('the path goes through a file')
  return null
}
