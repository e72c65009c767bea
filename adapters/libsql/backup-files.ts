import { createHash, type Hash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BackupFiles } from '../../runtime/ports/backups.ts'
import { endOfTar, padding, type TarEntry, TarReader, tarHeader } from './tar.ts'

/**
 * The files of a backup, `<backup>.files.tar`: uploads, workspaces and recordings as they are in the data folder, with
 * manifests of up to 1,000 files (`path`, `bytes` and `sha256` as JSON lines) that follow the files they list, and
 * `manifest.json` with the totals as the last entry.
 */
const roots = ['files', 'sandbox']
const manifestLines = 1_000
const totalsName = 'manifest.json'
const maxTotals = 64 * 1024
const pieceBytes = 256 * 1024

/** Unfinished writes of the file store. */
const temporary = /^\.hearthd-[0-9a-f]{24}\.tmp$/

/** The archive of a backup. */
export const archivePath = (backup: string) => `${backup}.files.tar`
/** The files that a restore replaced, moved here as they were. */
export const replacedFiles = (backup: string) => `${backup}.files`

const noFiles = (): BackupFiles => ({ count: 0, bytes: 0, skipped: 0, folders: [] })

function add(total: BackupFiles, path: string, bytes: number): void {
  const [root = '', name = ''] = path.split('/')
  const folder = root === 'files' ? name : root
  total.count += 1
  total.bytes += bytes
  const known = total.folders.find((one) => one.folder === folder)
  if (known) Object.assign(known, { count: known.count + 1, bytes: known.bytes + bytes })
  else total.folders.push({ folder, count: 1, bytes })
}

interface Found {
  path: string
  stat: Stats
}

/**
 * Files, folders and links below the roots of a data folder. A root may be a link to a larger disk. `unreadable` is called
 * for what cannot be read.
 */
function* walk(base: string, unreadable: () => void): Generator<Found> {
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
function statOf(path: string, { follow = false, unreadable = () => {} } = {}): Stats | null {
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
  for (const { path, stat } of walk(base, unreadable)) if (stat.isFile()) add(total, path, stat.size)
  return total
}

/** The archive of a data folder in pieces, in bounded memory. Files may change meanwhile; unreadable ones are counted. */
function* packFiles(base: string): Generator<Uint8Array> {
  const found = roots.map((root) => [root, join(base, root)] as const).filter(([, path]) => existsSync(path))
  const real = new Map(found.map(([root, path]) => [root, realpathSync(path)]))
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
    add(total, path, size)
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

const manifestLine = (path: string, bytes: number, sha256: string) =>
  `${JSON.stringify({ path, bytes, sha256 })}\n`

const entryOf = (path: string, { size, mode, uid, gid, mtimeMs }: Stats) => ({
  ...{ path, bytes: size, mode, uid, gid, modified: mtimeMs / 1_000, target: '' },
})

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
  const file = openSync(archive, 'wx', 0o600)
  try {
    for (const piece of packFiles(base))
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
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

/**
 * Verifies an archive against its manifests, and extracts it into `base` unless that is null. Throws if a file is missing,
 * was changed, or would lie outside.
 */
export function unpackFiles(pieces: Iterable<Uint8Array>, base: string | null): BackupFiles {
  const reader = new TarReader(pieces)
  const total = noFiles()
  const links: TarEntry[] = []
  const linked = new Set<string>()
  let listed = createHash('sha256')
  for (let entry = reader.next(); entry; entry = reader.next()) {
    const { path } = entry
    if (path === totalsName) return finishUnpacking(reader, entry, { total, links, base })
    if (path.startsWith('manifest/')) {
      const found = createHash('sha256')
      for (const piece of reader.content()) found.update(piece)
      if (found.digest('hex') !== listed.digest('hex')) throw new Error('a file was changed')
      listed = createHash('sha256')
      continue
    }
    if (!isInside(path)) throw new Error(`${path} is not a path of the data folder`)
    if (foldersOf(path).some((folder) => linked.has(folder))) throw new Error(`${path} is below a link`)
    if (entry.kind === 'link') {
      links.push(entry)
      linked.add(path.replace(/\/$/, ''))
    }
    if (entry.kind === 'folder' && base !== null) makeFolder(join(base, path), entry)
    if (entry.kind === 'file') {
      const sha256 = unpackFile(reader, entry, base)
      add(total, path, entry.bytes)
      listed.update(manifestLine(path, entry.bytes, sha256))
    }
  }
  throw new Error('the archive was cut short')
}

function finishUnpacking(
  reader: TarReader,
  { bytes }: TarEntry,
  { total, links, base }: { total: BackupFiles; links: TarEntry[]; base: string | null },
): BackupFiles {
  if (bytes > maxTotals) throw new Error('an entry is damaged')
  const stored = JSON.parse(Buffer.concat([...reader.content()]).toString()) as Partial<BackupFiles>
  if (stored.count !== total.count || stored.bytes !== total.bytes) throw new Error('files are missing')
  // Links are created last, so that no file is written through one.
  if (base !== null) for (const link of links) makeLink(join(base, link.path), link)
  return { ...total, skipped: Number(stored.skipped) || 0 }
}

const isInside = (path: string) => {
  const [root = '', ...names] = path.replace(/\/$/, '').split('/')
  const isName = (name: string) => !['', '.', '..'].includes(name) && !separators.test(name)
  return roots.includes(root) && names.every(isName)
}

/** Elsewhere a backslash is a character like any other. */
const separators = process.platform === 'win32' ? /[\0\\]/ : /\0/

/** `a` and `a/b` for `a/b/c`. */
const foldersOf = (path: string) => {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

const isRoot = process.getuid?.() === 0

function makeFolder(path: string, { mode, uid, gid }: TarEntry): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, mode | 0o700)
  if (isRoot) lchownSync(path, uid, gid)
}

function makeLink(path: string, { target, uid, gid }: TarEntry): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  symlinkSync(target, path)
  if (isRoot) lchownSync(path, uid, gid)
}

/** Returns the SHA-256 of the content. */
function unpackFile(reader: TarReader, { path, mode, uid, gid, modified }: TarEntry, base: string | null) {
  const hash = createHash('sha256')
  if (base === null) {
    for (const piece of reader.content()) hash.update(piece)
    return hash.digest('hex')
  }
  mkdirSync(dirname(join(base, path)), { recursive: true, mode: 0o700 })
  const file = openSync(join(base, path), 'wx', 0o600)
  try {
    for (const piece of reader.content()) {
      hash.update(piece)
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at)
    }
    fchmodSync(file, mode)
    if (isRoot) fchownSync(file, uid, gid)
    futimesSync(file, modified, modified)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}

/** Where a restore extracts files before they replace those of the data folder. */
export const freshFiles = (data_dir: string) => join(data_dir, 'files.restoring')

/** The files of a restore that is being rolled back. */
export const undoneFiles = (data_dir: string) => join(data_dir, 'files.undone')

/**
 * Verifies and extracts the files of a backup next to those of the data folder; false if it has none. `onStep` is called
 * for each piece.
 */
export function stageFiles(data_dir: string, backup: string, onStep: () => void = () => undefined): boolean {
  const fresh = freshFiles(data_dir)
  rmSync(fresh, { recursive: true, force: true })
  const pieces = archiveOf(backup)
  if (!pieces) return false
  try {
    for (const root of roots) {
      mkdirSync(join(fresh, root), { recursive: true, mode: 0o700 })
      requireSameDisk(data_dir, root)
    }
    const watched = pieces.map((piece) => {
      onStep()
      return piece
    })
    unpackFiles(watched, fresh)
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`The files of ${basename(backup)} cannot be restored: ${(thrown as Error).message}`)
  }
  return true
}

/** Folders are replaced by renaming them, which a mount point refuses. */
function requireSameDisk(data_dir: string, root: string): void {
  const path = join(data_dir, root)
  const stat = statOf(path)
  if (!stat || (stat.isDirectory() && stat.dev === statSync(data_dir).dev)) return
  throw new Error(`${path} is on another disk; restore without files and extract them from the backup there`)
}

/** Replaces the files with the staged ones and moves the old ones to `kept`. May be repeated after a kill. */
export function swapFiles(data_dir: string, kept: string): void {
  const fresh = freshFiles(data_dir)
  for (const root of roots) {
    if (!existsSync(join(fresh, root))) continue
    const live = join(data_dir, root)
    mkdirSync(kept, { recursive: true, mode: 0o700 })
    if (!existsSync(join(kept, root))) {
      mkdirSync(live, { recursive: true, mode: 0o700 })
      renameSync(live, join(kept, root))
    }
    renameSync(join(fresh, root), live)
  }
  rmSync(fresh, { recursive: true, force: true })
}

/** Moves the files that a restore replaced back, and its own to `undoneFiles`. May be repeated after a kill. */
export function undoSwap(data_dir: string, kept: string): void {
  const undone = undoneFiles(data_dir)
  for (const root of roots) {
    if (!existsSync(join(kept, root))) continue
    mkdirSync(undone, { recursive: true, mode: 0o700 })
    rmSync(join(undone, root), { recursive: true, force: true })
    if (existsSync(join(data_dir, root))) renameSync(join(data_dir, root), join(undone, root))
    renameSync(join(kept, root), join(data_dir, root))
  }
  rmSync(kept, { recursive: true, force: true })
}
