import { readFolder, readPath, readRoot } from '../../runtime/paths/paths.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type FileEntry, type Files, PathRefused } from '../../runtime/ports/files.ts'

/** `bytes` is null for a folder. */
interface Node {
  bytes: Uint8Array | null
  modified_at: string
}

type Tree = Map<string, Node>

/** Folders and files that end with the process. */
export function createMemoryFiles(clock: Pick<Clock, 'now'> = Date): Files {
  const trees = new Map<string, Tree>()
  const now = () => new Date(clock.now()).toISOString()

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

  return {
    async list(root, folder) {
      const tree = treeOf(root)
      const prefix = readFolder(folder)
        .map((name) => `${name}/`)
        .join('')
      const inside = [...tree].filter(
        ([path]) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'),
      )
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
      const tree = treeOf(root)
      const names = readPath(path)
      makeFolders(tree, names.slice(0, -1))
      if (tree.get(path)?.bytes === null) throw new PathRefused('a folder has that name')
      tree.set(path, { bytes: bytes.slice(), modified_at: now() })
      trees.set(root, tree)
    },

    async remove(root, path) {
      const tree = treeOf(root)
      readPath(path)
      for (const below of [...tree.keys()].filter((other) => other.startsWith(`${path}/`))) tree.delete(below)
      return tree.delete(path)
    },
  }
}

function toEntry([path, { bytes, modified_at }]: [string, Node]): FileEntry {
  return { path, kind: bytes ? 'file' : 'folder', size_bytes: bytes?.length ?? 0, modified_at }
}

const byPath = (left: FileEntry, right: FileEntry): number => (left.path < right.path ? -1 : 1)
