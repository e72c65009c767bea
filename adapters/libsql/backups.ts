import { createReadStream, createWriteStream, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BackupReason } from '../../runtime/backup-file.ts'
import { sumOf } from '../../runtime/numbers.ts'
import {
  BackupError,
  type BackupFile,
  type BackupFiles,
  type BackupOptions,
  type BackupPhase,
  type BackupRef,
  type Backups,
} from '../../runtime/ports/backups.ts'
import { askProcess, ProcessLost } from '../process/ask.ts'
import {
  backupFolder,
  backupsIn,
  copyPrivate,
  discard,
  keyPath,
  newBackupName,
  newerSchema,
  readManifest,
  removeBackup,
  sweepAbandoned,
} from './backup.ts'
import { archiveOf, archivePath, piecesOf } from './backup-archive.ts'
import type { BackupAnswer, BackupQuestion, BackupTask } from './backup-process.ts'
import { databasePath, fileBytes } from './database.ts'
import { cancelRestore, type Pending, scheduleRestore, takeRestored } from './restore.ts'
import { blockBytes, padding, readTarHeader, tarHeader } from './tar.ts'

interface BackupsSettings {
  data_dir: string
  encryption_key?: string | undefined
  /** Id of the master key that encrypts the stored secrets. */
  key_id(): string | null
  /** Restarts this daemon; null if it cannot be restarted. */
  restart: (() => void) | null
}

/** Polling interval for the size of the copy, in milliseconds. */
const progressEvery = 250

/** The port `backups` for the local database file. */
export function createBackups(settings: BackupsSettings): Backups {
  const { data_dir, encryption_key } = settings
  const pathOf = ({ name, folder }: BackupRef) => join(folder ?? backupFolder(data_dir), basename(name))
  const describe = (path: string, folder: string | null) => describeBackup(path, folder, settings.key_id())
  const list = (folder: string | null) => {
    const places = folder === null ? [null] : [null, folder]
    const backups = places.flatMap((place) =>
      backupsIn(place ?? backupFolder(data_dir)).map((path) => describe(path, place)),
    )
    return backups.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  }
  const run = <Result>(task: BackupTask, signal?: AbortSignal) =>
    runProcess<Result>({ ...task, encryption_key }, signal)
  const measure = (signal?: AbortSignal) => run<BackupFiles>({ task: 'measure', data_dir }, signal)
  return {
    unsupported: null,
    list: async (folder) => list(folder),
    async create({ reason, folder, keys, files, signal, onProgress }) {
      const key = join(data_dir, 'master.key')
      if (keys && !existsSync(key))
        throw new BackupError('The master key comes from SERVICE_SECRET_KEY; store that value yourself')
      const target = join(folder ?? backupFolder(data_dir), newBackupName(reason))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      if (folder !== null) sweepAbandoned(folder)
      const database = databasePath(data_dir)
      const size = files ? await measure(signal) : null
      const total = fileBytes(database) + (size?.bytes ?? 0)
      requireSpace('backup', dirname(target), total)
      const end = watchSize([`${target}.partial`, archivePath(target)], total, 'copying', onProgress)
      try {
        // Copy the key first, so that the backup does not look complete without it.
        if (keys) copyPrivate(key, keyPath(target))
        const files_of = files ? data_dir : undefined
        const key_id = settings.key_id() ?? undefined
        await run({ task: 'create', database, target, key_id, files_of }, signal)
        return describe(target, folder)
      } catch (thrown) {
        discard(target)
        removeBackup(target)
        throw thrown
      } finally {
        end()
      }
    },
    measure: () => measure(),
    verify(backup, { signal, onProgress }) {
      const path = pathOf(backup)
      const bytes = fileBytes(path)
      onProgress({ phase: 'verifying', done_bytes: 0, total_bytes: bytes })
      return run<string | null>({ task: 'verify', path }, signal)
    },
    inspect: (backup) => run({ task: 'inspect', path: pathOf(backup) }),
    async read(backup, part) {
      const path = part === 'key' ? keyPath(pathOf(backup)) : pathOf(backup)
      if (!existsSync(path)) return null
      const archive = part === 'key' ? null : archiveOf(path)
      if (!archive) return { content: toWeb(createReadStream(path)), bytes: fileBytes(path) }
      const files = existsSync(archivePath(path)) ? fileBytes(archivePath(path)) : null
      const database = fileBytes(path)
      const before = blockBytes + database + padding(database).length
      const content = toWeb(Readable.from(withDatabase(path, archive), { objectMode: false }))
      return { content, bytes: files === null ? null : before + files }
    },
    async receive(pieces) {
      const target = join(backupFolder(data_dir), newBackupName('uploaded'))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      try {
        await storeUpload(pieces, target)
        const newer = await Promise.try(() => newerSchema(`${target}.partial`, encryption_key)).catch(() => null)
        if (newer) throw new BackupError(`The file cannot be used: ${newer}`)
        await run({ task: 'finish', target })
      } catch (thrown) {
        discard(target)
        if (thrown instanceof BackupError && /could not be read back/.test(thrown.message)) {
          const why = thrown.message.replace(/^.*could not be read back: /, '')
          throw new BackupError(`The file is not a hearthd backup that this daemon can read: ${why}`)
        }
        throw thrown
      }
      return describe(target, null)
    },
    remove: async (backup) => removeBackup(pathOf(backup)),
    async stage(backup, { keys, files, by, signal, onProgress }) {
      const path = pathOf(backup)
      if (!settings.restart) throw new BackupError('This daemon cannot restart itself: stop it and run hearthd restore')
      if (keys && !existsSync(keyPath(path))) throw new BackupError('This backup has no master key')
      const file_bytes = files ? (readManifest(path)?.files?.bytes ?? 0) : 0
      requireSpace('restore', data_dir, fileBytes(path) + file_bytes)
      onProgress({ phase: 'verifying', done_bytes: 0, total_bytes: fileBytes(path) })
      try {
        const staged = await run<Pending>({ task: 'stage', data_dir, backup: path, by, keys, files }, signal)
        signal?.throwIfAborted()
        scheduleRestore(data_dir, staged)
      } catch (thrown) {
        cancelRestore(data_dir)
        throw thrown
      }
    },
    restart: () => settings.restart?.(),
    restored: async () => takeRestored(data_dir),
  }
}

const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>

function requireSpace(what: 'backup' | 'restore', folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free < bytes)
    throw new BackupError(`The ${what} needs ${megabytes(bytes)} MB; ${folder} has ${megabytes(free)} MB free`)
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000)

/** The first entry of a downloaded backup with files. */
const databaseEntry = 'hearthd.db'

/** A downloaded backup with files: its database, then the entries of its archive. */
function* withDatabase(path: string, archive: Iterable<Uint8Array>): Generator<Uint8Array> {
  const { size: bytes, mtimeMs } = statSync(path)
  const owner = { mode: 0o600, uid: 0, gid: 0, target: '' }
  yield tarHeader({ path: databaseEntry, kind: 'file', bytes, modified: mtimeMs / 1_000, ...owner })
  yield* piecesOf(path)
  yield padding(bytes)
  yield* archive
}

/** Writes an upload, a database or what `withDatabase` made, to the temporary files of a backup. */
async function storeUpload(pieces: AsyncIterable<Uint8Array>, target: string): Promise<void> {
  const source = pieces[Symbol.asyncIterator]()
  let ready: Buffer = Buffer.alloc(0)
  let ended = false
  const more = async () => {
    const { done, value } = await source.next()
    ended = done === true
    if (!ended) ready = Buffer.concat([ready, value])
  }
  async function* take(bytes: number) {
    for (let left = bytes; left > 0; ) {
      if (ready.length === 0 && !ended) await more()
      if (ready.length === 0) return
      const piece = ready.subarray(0, left)
      ready = ready.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
  const write = (path: string, bytes: number) =>
    pipeline(take(bytes), createWriteStream(path, { mode: 0o600, flags: 'wx' }))
  while (ready.length < blockBytes && !ended) await more()
  const header = readTarHeader(ready)
  if (header?.path !== databaseEntry) return write(`${target}.partial`, Number.POSITIVE_INFINITY)
  ready = ready.subarray(blockBytes)
  await write(`${target}.partial`, header.bytes)
  for await (const _ of take(padding(header.bytes).length));
  await write(archivePath(target), Number.POSITIVE_INFINITY)
}

function describeBackup(path: string, folder: string | null, key_id: string | null): BackupFile {
  const name = basename(path)
  const manifest = readManifest(path)
  const stat = statSync(path)
  const reason = /Z-([a-z-]+)\.db$/.exec(name)?.[1] ?? 'manual'
  return {
    name,
    folder,
    reason: BackupReason.catch('manual').parse(reason),
    created_at: manifest?.created_at ?? stat.mtime.toISOString(),
    bytes: stat.size,
    sha256: manifest?.sha256 ?? null,
    release: manifest?.release ?? null,
    schema_version: manifest?.schema_version ?? null,
    has_key: existsSync(keyPath(path)),
    files: manifest?.files ?? null,
    same_key: manifest?.key_id === undefined || key_id === null ? null : manifest.key_id === key_id,
  }
}

/** Reports the size of growing files until the returned function is called. */
function watchSize(
  paths: string[],
  total_bytes: number,
  phase: BackupPhase,
  onProgress: BackupOptions['onProgress'],
): () => void {
  onProgress({ phase, done_bytes: 0, total_bytes })
  const report = () => {
    const done_bytes = Math.min(sumOf(paths, fileBytes), total_bytes)
    onProgress({ phase, done_bytes, total_bytes })
  }
  const timer = setInterval(report, progressEvery)
  return () => clearInterval(timer)
}

/** Rejects with a `BackupError` if the task fails, and with the signal's reason if it is aborted. */
async function runProcess<Result>(question: BackupQuestion, signal?: AbortSignal): Promise<Result> {
  const call = { module: new URL('./backup-process.ts', import.meta.url), question, signal }
  const answer = await askProcess<BackupAnswer>(call).catch((thrown: unknown) => {
    throw thrown instanceof ProcessLost ? new BackupError('The backup was interrupted') : thrown
  })
  if (answer.ok) return answer.value as Result
  throw new BackupError(answer.message)
}
