import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  futimesSync,
  lchownSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { BackupFiles } from '../../runtime/ports/backups.ts'
import { countFile, manifestLine, noFiles, roots, totalsName } from './backup-archive.ts'
import { type TarEntry, TarReader } from './tar.ts'

const maxTotals = 64 * 1024

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
      const hash = createHash('sha256')
      for (const piece of reader.content()) hash.update(piece)
      if (hash.digest('hex') !== listed.digest('hex')) throw new Error('a file was changed')
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
      countFile(total, path, entry.bytes)
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

/** A backslash separates folders on Windows only. */
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
