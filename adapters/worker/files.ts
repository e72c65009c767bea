import { readFolder, readPath, readRoot } from '../../runtime/paths/paths.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type FileEntry, type Files, PathRefused } from '../../runtime/ports/files.ts'
import { iso } from '../../runtime/time.ts'
import type { ObjectStorage, SqlStorage } from './platform.ts'

/** A value of the platform's SQLite may take 2 MB. */
const pieceBytes = 1024 * 1024

const tables = [
  `CREATE TABLE IF NOT EXISTS worker_files (
    root TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL, kind TEXT NOT NULL,
    size_bytes INTEGER NOT NULL, modified_at TEXT NOT NULL, PRIMARY KEY (root, path)) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS worker_files_folder ON worker_files (root, folder)',
  `CREATE TABLE IF NOT EXISTS worker_file_pieces (
    root TEXT NOT NULL, path TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (root, path, piece)) STRICT, WITHOUT ROWID`,
]

/** Files in the SQLite of a Durable Object, in pieces. Its tables are its own, beside those of the program. */
export function createObjectFiles(storage: ObjectStorage, clock: Pick<Clock, 'now'>): Files {
  const { sql } = storage
  for (const table of tables) sql.exec(table)

  return {
    async list(root, folder) {
      readRoot(root)
      const inside = readFolder(folder).join('/')
      const columns = 'path, kind, size_bytes, modified_at'
      const query = `SELECT ${columns} FROM worker_files WHERE root = ? AND folder = ? ORDER BY path`
      return sql.exec(query, root, inside).toArray() as unknown as FileEntry[]
    },

    async stat(root, path) {
      readRoot(root)
      return find(sql, root, readPath(path).join('/'))
    },

    async read(root, path, { max_bytes = Number.MAX_SAFE_INTEGER } = {}) {
      readRoot(root)
      readPath(path)
      const entry = find(sql, root, path)
      return entry?.kind === 'file'
        ? readPieces(sql, entry, { root, length: Math.min(entry.size_bytes, max_bytes) })
        : null
    },

    async write(root, path, bytes) {
      readRoot(root)
      const names = readPath(path)
      const modified_at = iso(clock.now())
      storage.transactionSync(() => {
        for (let depth = 1; depth < names.length; depth += 1) {
          makeFolder(sql, root, { names: names.slice(0, depth), modified_at })
        }
        writeFile(sql, root, { names, modified_at, bytes })
      })
    },

    async remove(root, path) {
      readRoot(root)
      readPath(path)
      return storage.transactionSync(() => removeTree(sql, root, path))
    },
  }
}

function find(sql: SqlStorage, root: string, path: string): FileEntry | null {
  const query = 'SELECT path, kind, size_bytes, modified_at FROM worker_files WHERE root = ? AND path = ?'
  return (sql.exec(query, root, path).toArray()[0] as unknown as FileEntry | undefined) ?? null
}

interface Wanted {
  root: string
  length: number
}

function readPieces(sql: SqlStorage, { path }: FileEntry, { root, length }: Wanted): Uint8Array {
  const whole = new Uint8Array(length)
  const query = 'SELECT bytes FROM worker_file_pieces WHERE root = ? AND path = ? AND piece = ?'
  for (let offset = 0; offset < length; offset += pieceBytes) {
    const [row] = sql.exec(query, root, path, offset / pieceBytes).toArray()
    const piece = new Uint8Array(row?.bytes as ArrayBuffer)
    whole.set(piece.subarray(0, length - offset), offset)
  }
  return whole
}

interface Place {
  names: string[]
  modified_at: string
}

function makeFolder(sql: SqlStorage, root: string, { names, modified_at }: Place): void {
  const there = find(sql, root, names.join('/'))
  if (there?.kind === 'file') throw new PathRefused('the path goes through a file')
  if (!there) insert(sql, root, { names, modified_at, kind: 'folder', size_bytes: 0 })
}

function writeFile(
  sql: SqlStorage,
  root: string,
  { names, modified_at, bytes }: Place & { bytes: Uint8Array },
): void {
  const path = names.join('/')
  if (find(sql, root, path)?.kind === 'folder') throw new PathRefused('a folder has that name')
  removeTree(sql, root, path)
  insert(sql, root, { names, modified_at, kind: 'file', size_bytes: bytes.length })
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    const piece = bytes.slice(offset, offset + pieceBytes)
    sql.exec('INSERT INTO worker_file_pieces VALUES (?, ?, ?, ?)', root, path, offset / pieceBytes, piece)
  }
}

function insert(
  sql: SqlStorage,
  root: string,
  { names, kind, size_bytes, modified_at }: Place & Pick<FileEntry, 'kind' | 'size_bytes'>,
): void {
  const place = [root, names.join('/'), names.slice(0, -1).join('/')]
  sql.exec('INSERT INTO worker_files VALUES (?, ?, ?, ?, ?, ?)', ...place, kind, size_bytes, modified_at)
}

/** What begins with `path/` lies between it and `path0`, for 0 is the character behind the slash. */
function removeTree(sql: SqlStorage, root: string, path: string): boolean {
  const there = find(sql, root, path) !== null
  for (const table of ['worker_files', 'worker_file_pieces']) {
    const where = 'root = ? AND (path = ? OR (path > ? AND path < ?))'
    sql.exec(`DELETE FROM ${table} WHERE ${where}`, root, path, `${path}/`, `${path}0`)
  }
  return there
}
