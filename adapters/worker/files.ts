import { KeyedLock } from '../../runtime/keyed-lock.ts'
import { readFolder, readPath, readRoot } from '../../runtime/paths.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type FileEntry, type Files, PathRefused, type StreamedFile } from '../../runtime/ports/files.ts'
import { iso } from '../../runtime/time.ts'
import { pieceBytes, readStream, writeStream } from './file-streams.ts'
import type { ObjectStorage, SqlStorage } from './platform.ts'

const tables = [
  `CREATE TABLE IF NOT EXISTS worker_files (
    root TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL, kind TEXT NOT NULL,
    size_bytes INTEGER NOT NULL, modified_at TEXT NOT NULL, PRIMARY KEY (root, path)) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS worker_files_folder ON worker_files (root, folder)',
  `CREATE TABLE IF NOT EXISTS worker_file_pieces (
    root TEXT NOT NULL, path TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (root, path, piece)) STRICT, WITHOUT ROWID`,
]

/** Files in the SQLite of a Durable Object, stored in pieces in their own tables. */
export function createObjectFiles(storage: ObjectStorage, clock: Pick<Clock, 'now'>): Files {
  const { sql } = storage
  for (const table of tables) sql.exec(table)
  sweepPieces(sql)
  const locks = new KeyedLock()
  const locked = <Result>(root: string, path: string, run: () => Promise<Result>) => locks.run(`${root}/${path}`, run)

  /** The names in a path. Throws if the root or the path is refused. */
  const namesIn = (root: string, path: string): string[] => {
    readRoot(root)
    return readPath(path)
  }
  const fileAt = (root: string, path: string): FileEntry | null => {
    const entry = find(sql, root, namesIn(root, path).join('/'))
    return entry?.kind === 'file' ? entry : null
  }

  async function write(root: string, path: string, bytes: Uint8Array): Promise<void> {
    const place = { names: readPath(path), modified_at: iso(clock.now()) }
    storage.transactionSync(() => writeFile(sql, root, { ...place, bytes }))
  }

  function stream(
    root: string,
    path: string,
    { pieces, finish }: { pieces: AsyncIterable<Uint8Array>; finish(rename: () => Promise<void>): Promise<void> },
  ): Promise<StreamedFile> {
    refuseTaken(sql, root, path)
    return writeStream(sql, { root, pieces }, (temporary, size_bytes) =>
      finish(async () =>
        storage.transactionSync(() => {
          enter(sql, root, { names: readPath(path), modified_at: iso(clock.now()), size_bytes })
          renamePieces(sql, root, [temporary, path])
        }),
      ),
    )
  }

  return {
    async list(root, folder) {
      readRoot(root)
      const inside = readFolder(folder).join('/')
      const columns = 'path, kind, size_bytes, modified_at'
      const query = `SELECT ${columns} FROM worker_files WHERE root = ? AND folder = ? ORDER BY path`
      return sql.exec(query, root, inside).toArray() as unknown as FileEntry[]
    },

    stat: async (root, path) => find(sql, root, namesIn(root, path).join('/')),

    async read(root, path, { max_bytes = Number.MAX_SAFE_INTEGER } = {}) {
      const entry = fileAt(root, path)
      return entry && readPieces(sql, entry, { root, length: Math.min(entry.size_bytes, max_bytes) })
    },

    async write(root, path, bytes) {
      readRoot(root)
      const content = bytes.slice()
      await locked(root, path, () => write(root, path, content))
    },

    async writeStream(root, path, pieces) {
      namesIn(root, path)
      return stream(root, path, { pieces, finish: (rename) => locked(root, path, rename) })
    },

    async change(root, path, run) {
      namesIn(root, path)
      return locked(root, path, () =>
        run({
          write: (bytes) => write(root, path, bytes),
          writeStream: (pieces) => stream(root, path, { pieces, finish: (rename) => rename() }),
        }),
      )
    },

    async readStream(root, path, span) {
      const entry = fileAt(root, path)
      return entry && readStream(sql, { root, path, size_bytes: entry.size_bytes }, span)
    },

    async move(root, from, to) {
      const names = namesIn(root, to)
      readPath(from)
      return locked(root, to, async () => {
        const entry = fileAt(root, from)
        if (!entry || from === to) return entry !== null
        storage.transactionSync(() => {
          enter(sql, root, { names, modified_at: iso(clock.now()), size_bytes: entry.size_bytes })
          renamePieces(sql, root, [from, to])
          removeTree(sql, root, from)
        })
        return true
      })
    },

    async remove(root, path) {
      namesIn(root, path)
      return locked(root, path, async () => storage.transactionSync(() => removeTree(sql, root, path)))
    },

    async size(root, max_entries) {
      readRoot(root)
      const query = 'SELECT count(*) AS entries, coalesce(sum(size_bytes), 0) AS bytes FROM worker_files WHERE root = ?'
      const [row] = sql.exec(query, root).toArray() as { entries: number; bytes: number }[]
      return row && row.entries <= max_entries ? row.bytes : null
    },

    async removeRoot(root) {
      readRoot(root)
      storage.transactionSync(() => {
        sql.exec('DELETE FROM worker_files WHERE root = ?', root)
        sql.exec('DELETE FROM worker_file_pieces WHERE root = ?', root)
      })
    },

    machineFolder: async () => ({ ok: false, reason: 'unsupported' }),
  }
}

function find(sql: SqlStorage, root: string, path: string): FileEntry | null {
  const query = 'SELECT path, kind, size_bytes, modified_at FROM worker_files WHERE root = ? AND path = ?'
  return (sql.exec(query, root, path).toArray()[0] as unknown as FileEntry | undefined) ?? null
}

interface Part {
  root: string
  length: number
}

function readPieces(sql: SqlStorage, { path }: FileEntry, { root, length }: Part): Uint8Array {
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

/**
 * Deletes the pieces of interrupted streams: only one instance of an object runs, so nobody is writing them.
 */
function sweepPieces(sql: SqlStorage): void {
  sql.exec(`DELETE FROM worker_file_pieces WHERE path LIKE '//%'`)
}

function renamePieces(sql: SqlStorage, root: string, [from, to]: [string, string]): void {
  sql.exec('UPDATE worker_file_pieces SET path = ? WHERE root = ? AND path = ?', to, root, from)
}

function makeFolder(sql: SqlStorage, root: string, { names, modified_at }: Place): void {
  const there = find(sql, root, names.join('/'))
  if (there?.kind === 'file') throw new PathRefused('the path goes through a file')
  if (!there) insert(sql, root, { names, modified_at, kind: 'folder', size_bytes: 0 })
}

function writeFile(sql: SqlStorage, root: string, { names, modified_at, bytes }: Place & { bytes: Uint8Array }): void {
  enter(sql, root, { names, modified_at, size_bytes: bytes.length })
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    const piece = bytes.slice(offset, offset + pieceBytes)
    sql.exec('INSERT INTO worker_file_pieces VALUES (?, ?, ?, ?)', root, names.join('/'), offset / pieceBytes, piece)
  }
}

/**
 * Creates the folders and the entry of a file, and deletes any previous file of that name. The pieces are
 * stored afterwards.
 */
function enter(
  sql: SqlStorage,
  root: string,
  { names, modified_at, size_bytes }: Place & { size_bytes: number },
): void {
  for (let depth = 1; depth < names.length; depth += 1) {
    makeFolder(sql, root, { names: names.slice(0, depth), modified_at })
  }
  refuseTaken(sql, root, names.join('/'))
  removeTree(sql, root, names.join('/'))
  insert(sql, root, { names, modified_at, kind: 'file', size_bytes })
}

function refuseTaken(sql: SqlStorage, root: string, path: string): void {
  if (find(sql, root, path)?.kind === 'folder') throw new PathRefused('a folder has that name')
}

function insert(
  sql: SqlStorage,
  root: string,
  { names, kind, size_bytes, modified_at }: Place & Pick<FileEntry, 'kind' | 'size_bytes'>,
): void {
  const place = [root, names.join('/'), names.slice(0, -1).join('/')]
  sql.exec('INSERT INTO worker_files VALUES (?, ?, ?, ?, ?, ?)', ...place, kind, size_bytes, modified_at)
}

/** Paths that start with `path/` sort between it and `path0`, since 0 follows the slash in ASCII. */
function removeTree(sql: SqlStorage, root: string, path: string): boolean {
  const there = find(sql, root, path) !== null
  for (const table of ['worker_files', 'worker_file_pieces']) {
    const where = 'root = ? AND (path = ? OR (path > ? AND path < ?))'
    sql.exec(`DELETE FROM ${table} WHERE ${where}`, root, path, `${path}/`, `${path}0`)
  }
  return there
}
