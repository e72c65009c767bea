import { createHash } from 'node:crypto'
import { readFolder, readPath, readRoot } from '../../runtime/paths.ts'
import type { Files } from '../../runtime/ports/files.ts'
import {
  listFolder,
  moveFile,
  readFile,
  readFileStream,
  removeEntry,
  statEntry,
  writeFile,
  writePieces,
} from './entries.ts'
import { bestWalk, descend, type Folder, openTop, type Walk } from './folder.ts'

export interface DiskOptions {
  /** How folders are protected from being swapped; default: the best that the system supports. */
  walk?: Walk
}

/** Files below `folder`, which is created if missing. Files are 0600, folders 0700. */
export function createDisk(folder: string, { walk = bestWalk }: DiskOptions = {}): Files {
  /** Runs with the folder of these names open; `missing` if there is none. */
  async function within<Result>(
    place: Place<Result>,
    run: (folder: Folder) => Promise<Result>,
  ): Promise<Result> {
    const { names, missing, create = false } = place
    const open = await descend(await openTop(folder, walk), names, { create })
    if (!open) return missing
    try {
      return await run(open)
    } finally {
      await open.close()
    }
  }

  return {
    async list(root, path) {
      const names = readFolder(path)
      const prefix = names.map((name) => `${name}/`).join('')
      return within({ names: [...readRoot(root), ...names], missing: [] }, (open) => listFolder(open, prefix))
    },

    async stat(root, path) {
      const { names, last } = split(root, path)
      return within({ names, missing: null }, (open) => statEntry(open, last, path))
    },

    async read(root, path, { max_bytes } = {}) {
      const { names, last } = split(root, path)
      return within({ names, missing: null }, (open) => readFile(open, last, max_bytes))
    },

    async write(root, path, bytes) {
      const { names, last } = split(root, path)
      await within({ names, missing: undefined, create: true }, (open) => writeFile(open, last, bytes))
    },

    async writeStream(root, path, pieces) {
      const { names, last } = split(root, path)
      const hash = createHash('sha256')
      let size_bytes = 0
      const counted = async function* () {
        for await (const piece of pieces) {
          hash.update(piece)
          size_bytes += piece.byteLength
          yield piece
        }
      }
      const place = { names, missing: undefined, create: true }
      await within(place, (open) => writePieces(open, last, counted()))
      return { size_bytes, sha256: hash.digest('hex') }
    },

    async readStream(root, path, span = {}) {
      const { names, last } = split(root, path)
      return within({ names, missing: null }, (open) => readFileStream(open, last, span))
    },

    async move(root, from, to) {
      const source = split(root, from)
      const target = split(root, to)
      return within({ names: source.names, missing: false }, (out) =>
        within({ names: target.names, missing: false, create: true }, (into) =>
          moveFile({ folder: out, name: source.last }, { folder: into, name: target.last }),
        ),
      )
    },

    async remove(root, path) {
      const { names, last } = split(root, path)
      return within({ names, missing: false }, (open) => removeEntry(open, last))
    },
  }
}

interface Place<Result> {
  names: string[]
  missing: Result
  create?: boolean
}

function split(root: string, path: string): { names: string[]; last: string } {
  const names = [...readRoot(root), ...readPath(path)]
  return { names: names.slice(0, -1), last: names.at(-1) ?? '' }
}
