import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '../../runtime/fault.ts'
import { PathRefused } from '../../runtime/ports/files.ts'
import { isCode } from '../process/files.ts'

export interface Owner {
  uid: number
  gid: number
}

/** Permissions of new files and folders. */
interface Modes {
  /** Undefined for the user of the daemon. Systems without /proc ignore it. */
  owner?: Owner | undefined
  file: number
  folder: number
  /** Whether a replaced file keeps its permissions. */
  keep: boolean
}

export const ownModes: Modes = { file: 0o600, folder: 0o700, keep: false }
/** The defaults of any program of the user. */
const machineModes: Modes = { file: 0o666, folder: 0o777, keep: true }

/** A folder that is kept open, so that it stays the same whatever is renamed. */
export interface Folder {
  modes: Modes
  /** The path of an entry; valid until the folder is closed. */
  entry(name: string): string
  /** A subfolder, or null if there is none. Rejects with `PathRefused` for a symbolic link. */
  step(name: string, options: StepOptions): Promise<Folder | null>
  /** Rejects if the path no longer leads here; only needed where folders cannot be kept open. */
  verify(): Promise<void>
  /** Makes names durable after a rename. */
  sync(): Promise<void>
  close(): Promise<void>
}

interface StepOptions {
  /** Creates a missing folder. */
  create: boolean
}

/**
 * `held`: entries are reached through the open folder itself (`/proc/self/fd`), like `openat`, so nobody can swap a folder
 * for a link in between. `checked`, for systems without it: the real path is compared before and after, which leaves a
 * gap for an attacker who swaps it back in time.
 */
export type Walk = 'held' | 'checked'

export const bestWalk: Walk = existsSync('/proc/self/fd') ? 'held' : 'checked'

/** Opens the root folder, and creates it if missing. Its own path may contain links. */
export async function openTop(path: string, walk: Walk, modes = ownModes): Promise<Folder> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const real = await realpath(path)
  return walk === 'held' ? held(await open(real, folderFlags), modes) : checked(real, modes)
}

/** Opens a folder of the machine by its real path. Throws a `Fault` if it has gone or leads elsewhere now. */
export async function openMachineFolder(path: string, walk: Walk): Promise<Folder> {
  const gone = (error: unknown) => {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK')) throw conflict(goneText(path))
    throw error
  }
  const folder =
    walk === 'held' ? held(await open(path, folderFlags).catch(gone), machineModes) : checked(path, machineModes)
  const real = await realpath(walk === 'held' ? folder.entry('.') : path).catch(() => null)
  if (real === path) return folder
  await folder.close()
  throw conflict(goneText(path))
}

const goneText = (path: string) => `The folder ${path} no longer exists; restore it, then try again`

/** Descends name by name; null if one is missing. The caller closes the result. */
export async function descend(top: Folder, names: readonly string[], options: StepOptions): Promise<Folder | null> {
  let folder = top
  for (const name of names) {
    const below = await folder.step(name, options).finally(() => folder.close())
    if (!below) return null
    folder = below
  }
  return folder
}

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

function held(handle: FileHandle, modes: Modes): Folder {
  const entry = (name: string) => `/proc/self/fd/${handle.fd}/${name}`
  return {
    modes,
    entry,
    async step(name, options) {
      const made = options.create && (await makeFolder(entry(name), modes))
      const below = await open(entry(name), folderFlags).catch((error) => explain(error, entry(name), options))
      if (made && modes.owner) await below?.chown(modes.owner.uid, modes.owner.gid)
      return below && held(below, modes)
    },
    verify: async () => undefined,
    sync: () => handle.sync().catch(ignoreUnsupported),
    close: () => handle.close(),
  }
}

function checked(path: string, modes: Modes): Folder {
  const entry = (name: string) => join(path, name)
  return {
    modes,
    entry,
    async step(name, options) {
      if (options.create) await makeFolder(entry(name), modes)
      const stat = await lstat(entry(name)).catch((error) => explain(error, entry(name), options))
      if (!stat) return null
      if (!stat.isDirectory()) return refuseUnlessMissing(stat.isSymbolicLink(), options)
      return checked(entry(name), modes)
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

/** False if there is one already. */
async function makeFolder(path: string, { folder: mode }: Modes): Promise<boolean> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
    return false
  }
}

/** Linux reports ENOTDIR for links and for files: look again to distinguish them. */
async function explain(error: unknown, path: string, options: StepOptions): Promise<null> {
  if (isCode(error, 'ENOENT')) return null
  if (!isCode(error, 'ENOTDIR', 'ELOOP', 'EMLINK')) throw error
  const stat = await lstat(path).catch(() => null)
  return refuseUnlessMissing(stat?.isSymbolicLink() ?? false, options)
}

/** For a reader, a path below a file is missing; a writer cannot use it. */
function refuseUnlessMissing(symbolicLink: boolean, { create }: StepOptions): null {
  if (symbolicLink) throw new PathRefused('the path goes through a symbolic link')
  if (create) throw new PathRefused('the path goes through a file')
  return null
}
