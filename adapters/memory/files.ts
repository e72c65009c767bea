import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { KeyedLock } from '../../runtime/keyed-lock.ts'
import { sumOf } from '../../runtime/numbers.ts'
import { readFolder, readPath, readRoot } from '../../runtime/paths.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type FileEntry, type Files, PathRefused, type StreamedFile } from '../../runtime/ports/files.ts'

/** `bytes` is null for a folder. */
interface Node {
  bytes: Uint8Array | null
  modified_at: string
}

type Tree = Map<string, Node>

export interface MemoryFiles extends Files {
  /** Every folder and file, for others to start from. */
  image(): FilesImage
}

/** Nodes are never changed, only replaced, so a copy shares them. */
export type FilesImage = ReadonlyMap<string, Tree>

const copyOf = (image: FilesImage) => new Map([...image].map(([root, tree]) => [root, new Map(tree)]))

/** Folders and files that are lost when the process ends: none at first, or a copy of those of `image`. */
export function createMemoryFiles(clock: Pick<Clock, 'now'> = Date, image: FilesImage = new Map()): MemoryFiles {
  const trees = copyOf(image)
  const now = () => new Date(clock.now()).toISOString()
  const locks = new KeyedLock()
  const locked = <Result>(root: string, path: string, task: () => Promise<Result>) =>
    locks.run(`${root}/${path}`.normalize('NFC').toLowerCase(), task)

  const treeOf = (root: string): Tree => {
    readRoot(root)
    return trees.get(root) ?? new Map<string, Node>()
  }

  function makeFolders(tree: Tree, names: string[]): void {
    for (let depth = 1; depth <= names.length; depth += 1) {
      const path = names.slice(0, depth).join('/')
      const node = tree.get(path)
      if (node?.bytes) throw new PathRefused('the path goes through a file')
      if (!node) tree.set(path, { bytes: null, modified_at: now() })
    }
  }

  function put(root: string, path: string, bytes: Uint8Array): void {
    const tree = treeOf(root)
    const names = readPath(path)
    refuseTaken(tree, names)
    makeFolders(tree, names.slice(0, -1))
    tree.set(path, { bytes, modified_at: now() })
    trees.set(root, tree)
  }

  return {
    async list(root, folder) {
      const tree = treeOf(root)
      const prefix = readFolder(folder)
        .map((name) => `${name}/`)
        .join('')
      const inside = [...tree].filter(([path]) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
      return inside.map(toEntry).sort(byPath)
    },

    async stat(root, path) {
      const tree = treeOf(root)
      const node = tree.get(readPath(path).join('/'))
      return node ? toEntry([path, node]) : null
    },

    async read(root, path, options = {}) {
      const tree = treeOf(root)
      const bytes = tree.get(readPath(path).join('/'))?.bytes
      return bytes ? bytes.slice(0, options.max_bytes) : null
    },

    async write(root, path, bytes) {
      const content = bytes.slice()
      await locked(root, path, async () => put(root, path, content))
    },

    async writeStream(root, path, pieces) {
      refuseTaken(treeOf(root), readPath(path))
      const bytes = await joined(pieces)
      await locked(root, path, async () => put(root, path, bytes))
      return streamed(bytes)
    },

    async change(root, path, run) {
      treeOf(root)
      readPath(path)
      return locked(root, path, () =>
        run({
          write: async (bytes) => put(root, path, bytes.slice()),
          async writeStream(pieces) {
            const bytes = await joined(pieces)
            put(root, path, bytes)
            return streamed(bytes)
          },
        }),
      )
    },

    async readStream(root, path, { start = 0, end = Number.MAX_SAFE_INTEGER } = {}) {
      const tree = treeOf(root)
      const bytes = tree.get(readPath(path).join('/'))?.bytes
      return bytes ? streamOf(bytes.slice(start, end)) : null
    },

    async move(root, from, to) {
      readPath(from)
      readPath(to)
      return locked(root, to, async () => {
        const tree = treeOf(root)
        const bytes = tree.get(from)?.bytes
        if (!bytes) return false
        put(root, to, bytes)
        if (from !== to) tree.delete(from)
        return true
      })
    },

    async remove(root, path) {
      readPath(path)
      return locked(root, path, async () => {
        const tree = treeOf(root)
        for (const below of [...tree.keys()].filter((other) => other.startsWith(`${path}/`))) tree.delete(below)
        return tree.delete(path)
      })
    },

    async size(root, max_entries) {
      const nodes = [...treeOf(root).values()]
      if (nodes.length > max_entries) return null
      return sumOf(nodes, ({ bytes }) => bytes?.length ?? 0)
    },

    async removeRoot(root) {
      readRoot(root)
      trees.delete(root)
    },

    machineFolder: async () => ({ ok: false, reason: 'unsupported' }),

    image: () => copyOf(trees),
  }
}

function refuseTaken(tree: Tree, names: string[]): void {
  if (tree.get(names.join('/'))?.bytes === null) throw new PathRefused('a folder has that name')
}

const streamed = (bytes: Uint8Array): StreamedFile => ({
  size_bytes: bytes.length,
  sha256: bytesToHex(sha256(bytes)),
})

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept: Uint8Array[] = []
  for await (const piece of pieces) kept.push(piece.slice())
  return new Uint8Array(await new Blob(kept as BlobPart[]).arrayBuffer())
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
      controller.close()
    },
  })
}

function toEntry([path, { bytes, modified_at }]: [string, Node]): FileEntry {
  return { path, kind: bytes ? 'file' : 'folder', size_bytes: bytes?.length ?? 0, modified_at }
}

const byPath = (left: FileEntry, right: FileEntry): number => (left.path < right.path ? -1 : 1)
