import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { forbidden } from '../../runtime/fault.ts'
import { KeyedLock } from '../../runtime/keyed-lock.ts'
import { machinePath, readFolder, readPath, readRoot } from '../../runtime/paths.ts'
import type { Files, StreamedFile } from '../../runtime/ports/files.ts'
import { isCode } from '../process/files.ts'
import {
  type Finish,
  folderBytes,
  listFolder,
  moveFile,
  type Pieces,
  readFile,
  readFileStream,
  removeEntry,
  removeFolder,
  statEntry,
  writePieces,
} from './entries.ts'
import {
  bestWalk,
  descend,
  type Folder,
  type Owner,
  openMachineFolder,
  openTop,
  ownModes,
  type Walk,
} from './folder.ts'

interface DiskOptions {
  /** A folder with the daemon's own data, which no folder of the machine may contain. Default: the folder itself. */
  private_folder?: string
  /** How folders are protected from being swapped; default: the best that the system supports. */
  walk?: Walk
  /** User and group of what is created; for a daemon that runs as root. Default: its own. */
  owner?: Owner
}

/** Levels of folders that `size` keeps open. */
const maxDepth = 100

/** Files below `folder`, which is created if missing. Files are 0600, folders 0700. */
export function createDisk(folder: string, options: DiskOptions = {}): Files {
  const { walk = bestWalk, private_folder = folder, owner } = options
  const locks = new KeyedLock()
  /** Runs alone with a file. Names that some file systems do not distinguish share a lock. */
  function locked<Result>(root: string, path: string, run: () => Promise<Result>): Promise<Result> {
    const place = join(machinePath(root) ?? join(folder, ...readRoot(root)), ...readPath(path))
    return locks.run(place.normalize('NFC').toLowerCase(), run)
  }
  /** Runs with the folder of these names open; `missing` if there is none. */
  async function within<Result>(place: Place<Result>, run: (folder: Folder) => Promise<Result>): Promise<Result> {
    const { root, names, missing, create = false } = place
    const path = machinePath(root)
    const below = path === null ? [...readRoot(root), ...names] : names
    const top =
      path === null ? await openTop(folder, walk, { ...ownModes, owner }) : await openMachineFolder(path, walk)
    const open = await descend(top, below, { create })
    if (!open) return missing
    try {
      return await run(open)
    } catch (error) {
      if (path !== null && isCode(error, 'EACCES', 'EPERM', 'EROFS'))
        throw forbidden(`The system does not let hearthd do this in ${path}`)
      throw error
    } finally {
      await open.close()
    }
  }

  async function write(root: string, path: string, pieces: Pieces, finish?: Finish): Promise<void> {
    const { names, last } = split(path)
    const place = { root, names, missing: undefined, create: true }
    await within(place, (open) => writePieces(open, last, { pieces, finish }))
  }

  async function writeStream(
    root: string,
    path: string,
    { pieces, finish }: { pieces: AsyncIterable<Uint8Array>; finish?: Finish },
  ): Promise<StreamedFile> {
    const hash = createHash('sha256')
    let size_bytes = 0
    const counted = async function* () {
      for await (const piece of pieces) {
        hash.update(piece)
        size_bytes += piece.byteLength
        yield piece
      }
    }
    await write(root, path, counted(), finish)
    return { size_bytes, sha256: hash.digest('hex') }
  }

  return {
    async list(root, path) {
      const names = readFolder(path)
      const prefix = names.map((name) => `${name}/`).join('')
      return within({ root, names, missing: [] }, (open) => listFolder(open, prefix))
    },

    async stat(root, path) {
      const { names, last } = split(path)
      return within({ root, names, missing: null }, (open) => statEntry(open, last, path))
    },

    async read(root, path, { max_bytes } = {}) {
      const { names, last } = split(path)
      return within({ root, names, missing: null }, (open) => readFile(open, last, max_bytes))
    },

    async write(root, path, bytes) {
      await locked(root, path, () => write(root, path, [bytes]))
    },

    writeStream: async (root, path, pieces) =>
      writeStream(root, path, { pieces, finish: (rename) => locked(root, path, rename) }),

    async change(root, path, run) {
      return locked(root, path, () =>
        run({
          write: (bytes) => write(root, path, [bytes]),
          writeStream: (pieces) => writeStream(root, path, { pieces }),
        }),
      )
    },

    async readStream(root, path, span = {}) {
      const { names, last } = split(path)
      return within({ root, names, missing: null }, (open) => readFileStream(open, last, span))
    },

    async move(root, from, to) {
      const source = split(from)
      const target = split(to)
      return locked(root, to, () =>
        within({ root, names: source.names, missing: false }, (out) =>
          within({ root, names: target.names, missing: false, create: true }, (into) =>
            moveFile({ folder: out, name: source.last }, { folder: into, name: target.last }),
          ),
        ),
      )
    },

    async remove(root, path) {
      const { names, last } = split(path)
      return locked(root, path, () => within({ root, names, missing: false }, (open) => removeEntry(open, last)))
    },

    async size(root, max_entries) {
      const left = { entries: max_entries, depth: maxDepth }
      const bytes = await within({ root, names: [], missing: 0 }, (open) => folderBytes(open, left))
      return Number.isFinite(bytes) ? bytes : null
    },

    async removeRoot(root) {
      const names = readRoot(root)
      const top = await openTop(folder, walk)
      const parent = await descend(top, names.slice(0, -1), { create: false })
      if (!parent) return
      try {
        await removeFolder(parent, names.at(-1) ?? '')
      } finally {
        await parent.close()
      }
    },

    async machineFolder(path, allowed) {
      const folders = (await Promise.all(allowed.map(realFolder))).filter((one) => one !== null)
      const isAllowed = (one: string) => folders.some((folder) => contains(folder, one))
      const real = await realFolder(path)
      // Callers must not learn which folders exist outside.
      if (!isAllowed(real ?? resolve(expand(path)))) return { ok: false, reason: 'outside' }
      if (real === null) return { ok: false, reason: 'missing' }
      const own = (await realFolder(private_folder)) ?? private_folder
      if (contains(real, own) || contains(own, real)) return { ok: false, reason: 'private' }
      return { ok: true, path: real }
    },
  }
}

/** `~/` is the home folder of the daemon's user. */
const expand = (path: string) => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)

/** The path of a folder without links; null if there is none. */
async function realFolder(path: string): Promise<string | null> {
  try {
    const real = await realpath(expand(path))
    return (await stat(real)).isDirectory() ? real : null
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM')) return null
    throw error
  }
}

function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner)
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

interface Place<Result> {
  root: string
  names: string[]
  missing: Result
  create?: boolean
}

function split(path: string): { names: string[]; last: string } {
  const names = readPath(path)
  return { names: names.slice(0, -1), last: names.at(-1) ?? '' }
}
