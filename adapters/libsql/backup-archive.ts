import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BackupFiles } from '../../runtime/ports/backups.ts'
import { withFile } from '../process/files.ts'
import { endOfTar, padding, tarHeader } from './tar.ts'

/**
 * The archive with the files of a backup, `<backup>.files.tar`: uploads, workspaces and recordings as they are in the data
 * folder, with manifests of up to 1,000 files (`path`, `bytes` and `sha256` as JSON lines) that follow the files they list,
 * and `manifest.json` with the totals as the last entry.
 */
export const roots = ['files', 'sandbox']
const manifestLines = 1_000
export const totalsName = 'manifest.json'
const pieceBytes = 256 * 1024

/** Unfinished writes of the file store. */
const temporary = /^\.hearthd-[0-9a-f]{24}\.tmp$/

/** The archive of a backup. */
export const archivePath = (backup: string) => `${backup}.files.tar`
/** The files that a restore replaced, moved here as they were. */
export const replacedFiles = (backup: string) => `${backup}.files`

export const noFiles = (): BackupFiles => ({ count: 0, bytes: 0, skipped: 0, folders: [] })

export function countFile(total: BackupFiles, path: string, bytes: number): void {
  const [root = '', name = ''] = path.split('/')
  const folder = root === 'files' ? name : root
  total.count += 1
  total.bytes += bytes
  const entry = total.folders.find((one) => one.folder === folder)
  if (entry) Object.assign(entry, { count: entry.count + 1, bytes: entry.bytes + bytes })
  else total.folders.push({ folder, count: 1, bytes })
}

interface Entry {
  path: string
  stat: Stats
}

/**
 * Files, folders and links below the roots of a data folder. A root may be a link to a larger disk. `unreadable` is called
 * for what cannot be read.
 */
function* walk(base: string, unreadable: () => void): Generator<Entry> {
  const open = [...roots].reverse().filter((root) => statOf(join(base, root)))
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const stat = statOf(join(base, path), { follow: roots.includes(path), unreadable })
    if (!stat || temporary.test(path.slice(path.lastIndexOf('/') + 1))) continue
    yield { path, stat }
    if (!stat.isDirectory()) continue
    try {
      for (const name of readdirSync(join(base, path)).sort().reverse()) open.push(`${path}/${name}`)
    } catch {
      unreadable()
    }
  }
}

/** Null if it has just been removed, or if it is unreadable. */
export function statOf(path: string, { follow = false, unreadable = () => {} } = {}): Stats | null {
  try {
    return follow ? statSync(path) : lstatSync(path)
  } catch (thrown) {
    // Names that are not UTF-8 have replacement characters, and are not found.
    if (follow || (thrown as NodeJS.ErrnoException).code !== 'ENOENT' || path.includes('\uFFFD')) unreadable()
    return null
  }
}

/** Counts the files of a data folder without reading them. */
export function measureFiles(base: string): BackupFiles {
  const total = noFiles()
  const unreadable = () => {
    total.skipped += 1
  }
  for (const { path, stat } of walk(base, unreadable)) if (stat.isFile()) countFile(total, path, stat.size)
  return total
}

/** The archive of a data folder in pieces, in bounded memory. Files may change meanwhile; unreadable ones are counted. */
function* packFiles(base: string): Generator<Uint8Array> {
  const folders = roots.map((root) => [root, join(base, root)] as const).filter(([, path]) => existsSync(path))
  const real = new Map(folders.map(([root, path]) => [root, realpathSync(path)]))
  const total = noFiles()
  const unreadable = () => {
    total.skipped += 1
  }
  let lines: string[] = []
  let parts = 0
  for (const { path, stat } of walk(base, unreadable)) {
    if (!stat.isFile()) {
      const target = stat.isSymbolicLink() ? linkTarget(join(base, path)) : ''
      const kind = stat.isDirectory() ? 'folder' : target === '' ? null : 'link'
      if (kind) yield tarHeader({ ...entryOf(path, stat), kind, target, bytes: 0 })
      continue
    }
    const [root = '', ...names] = path.split('/')
    const opened = openForRead(join(real.get(root) ?? join(base, root), ...names))
    if (opened === null) {
      unreadable()
      continue
    }
    const { size } = opened.stat
    const sha256 = createHash('sha256')
    try {
      yield tarHeader({ ...entryOf(path, opened.stat), kind: 'file' })
      yield* contentOf(opened.file, size, sha256)
    } finally {
      closeSync(opened.file)
    }
    countFile(total, path, size)
    lines.push(manifestLine(path, size, sha256.digest('hex')))
    if (lines.length < manifestLines) continue
    parts += 1
    yield* textEntry(`manifest/${parts}.jsonl`, lines.join(''))
    lines = []
  }
  yield* textEntry(`manifest/${parts + 1}.jsonl`, lines.join(''))
  yield* textEntry(totalsName, `${JSON.stringify(total)}\n`)
  yield endOfTar()
}

/** Empty if the link has just been removed. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

export const manifestLine = (path: string, bytes: number, sha256: string) =>
  `${JSON.stringify({ path, bytes, sha256 })}\n`

function entryOf(path: string, { size: bytes, mode, uid, gid, mtimeMs }: Stats) {
  return { path, bytes, mode, uid, gid, modified: mtimeMs / 1_000, target: '' }
}

function* textEntry(path: string, text: string): Generator<Uint8Array> {
  const content = Buffer.from(text)
  const modified = Date.now() / 1_000
  yield tarHeader({
    path,
    kind: 'file',
    bytes: content.length,
    mode: 0o600,
    uid: 0,
    gid: 0,
    modified,
    target: '',
  })
  yield content
  yield padding(content.length)
}

const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Null for a file that has just been removed or that this user cannot read, and for a path that leads elsewhere because a
 * command in a workspace has just put a link there.
 */
function openForRead(path: string): { file: number; stat: Stats } | null {
  try {
    const file = openSync(path, readFlags)
    const stat = fstatSync(file)
    const opened = `/proc/self/fd/${file}`
    if (stat.isFile() && (!existsSync(opened) || readlinkSync(opened) === path)) return { file, stat }
    closeSync(file)
  } catch {}
  return null
}

/** Exactly `bytes` bytes of an open file, padded: one that shrinks is filled with zeros. */
function* contentOf(file: number, bytes: number, hash: Hash): Generator<Uint8Array> {
  for (let left = bytes; left > 0; ) {
    const piece = Buffer.alloc(Math.min(left, pieceBytes))
    const read = readSync(file, piece)
    const filled = read === 0 ? piece : piece.subarray(0, read)
    hash.update(filled)
    left -= filled.length
    yield filled
  }
  yield padding(bytes)
}

/** Writes the archive of a data folder. */
export function writeArchive(base: string, archive: string): void {
  withFile(archive, 'wx', (file) => {
    for (const piece of packFiles(base)) for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
    fsyncSync(file)
  })
}

/** The bytes of a file in pieces. */
export function* piecesOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const piece = Buffer.alloc(pieceBytes)
      const read = readSync(file, piece)
      if (read === 0) return
      yield piece.subarray(0, read)
    }
  } finally {
    closeSync(file)
  }
}

/** The files of a backup as an archive, from its archive or from the files that a restore replaced; null if it has none. */
export function archiveOf(backup: string): Generator<Uint8Array> | null {
  if (existsSync(archivePath(backup))) return piecesOf(archivePath(backup))
  return existsSync(replacedFiles(backup)) ? packFiles(replacedFiles(backup)) : null
}
