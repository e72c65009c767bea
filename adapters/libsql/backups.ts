import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import {
  BackupError,
  type BackupFile,
  type BackupOptions,
  type BackupPhase,
  type BackupReason,
  type BackupRef,
  type Backups,
} from '../../runtime/ports/backups.ts'
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
} from './backup.ts'
import type { BackupTask, ThreadAnswer, ThreadData } from './backup-thread.ts'
import { databasePath, fileBytes } from './database.ts'
import { takeRestored } from './restore.ts'

export interface BackupsSettings {
  data_dir: string
  encryption_key?: string | undefined
  /** Id of the master key that encrypts the stored secrets. */
  key_id(): string | null
  /** Restarts this daemon; null if it cannot be restarted. */
  restart: (() => void) | null
}

const reasons: readonly string[] = [
  'manual',
  'scheduled',
  'uploaded',
  'before-restore',
  'before-migration',
  'before-repair',
] satisfies BackupReason[]

/** Polling interval for the size of the copy, in milliseconds. */
const progressEvery = 250

/** The port `backups` for the local database file. */
export function createBackups(settings: BackupsSettings): Backups {
  const { data_dir, encryption_key } = settings
  const pathOf = ({ name, folder }: BackupRef) => join(folder ?? backupFolder(data_dir), basename(name))
  const describe = (path: string, folder: string | null) => describeBackup(path, folder, settings.key_id())
  const list = (folder: string | null) => {
    const places = folder === null ? [null] : [null, folder]
    const found = places.flatMap((place) =>
      backupsIn(place ?? backupFolder(data_dir)).map((path) => describe(path, place)),
    )
    return found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  }
  const run = <Result>(task: BackupTask, signal?: AbortSignal) =>
    runInThread<Result>({ ...task, encryption_key }, signal)
  return {
    unsupported: null,
    list: async (folder) => list(folder),
    async create({ reason, folder, keys, signal, onProgress }) {
      const key = join(data_dir, 'master.key')
      if (keys && !existsSync(key))
        throw new BackupError('The master key comes from SERVICE_SECRET_KEY; store that value yourself')
      const target = join(folder ?? backupFolder(data_dir), newBackupName(reason))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      const database = databasePath(data_dir)
      const end = watchSize(`${target}.partial`, fileBytes(database), 'copying', onProgress)
      try {
        // Copy the key first, so that the backup does not look complete without it.
        if (keys) copyPrivate(key, keyPath(target))
        await run({ task: 'create', database, target, key_id: settings.key_id() ?? undefined }, signal)
        return describe(target, folder)
      } catch (thrown) {
        discard(target)
        removeBackup(target)
        throw thrown
      } finally {
        end()
      }
    },
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
      return Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>
    },
    async receive(pieces) {
      const target = join(backupFolder(data_dir), newBackupName('uploaded'))
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      try {
        await pipeline(pieces, createWriteStream(`${target}.partial`, { mode: 0o600, flags: 'wx' }))
        const newer = await Promise.try(() => newerSchema(`${target}.partial`, encryption_key)).catch(
          () => null,
        )
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
    async stage(backup, { keys, by, signal, onProgress }) {
      const path = pathOf(backup)
      if (!settings.restart)
        throw new BackupError('This daemon cannot restart itself: stop it and run hearthd restore')
      if (keys && !existsSync(keyPath(path))) throw new BackupError('This backup has no master key')
      onProgress({ phase: 'verifying', done_bytes: 0, total_bytes: fileBytes(path) })
      await run({ task: 'stage', data_dir, backup: path, by, keys }, signal)
    },
    restart: () => settings.restart?.(),
    restored: async () => takeRestored(data_dir),
  }
}

function describeBackup(path: string, folder: string | null, key_id: string | null): BackupFile {
  const name = basename(path)
  const manifest = readManifest(path)
  const stat = statSync(path)
  const reason = /Z-([a-z-]+)\.db$/.exec(name)?.[1] ?? 'manual'
  return {
    name,
    folder,
    reason: (reasons.includes(reason) ? reason : 'manual') as BackupReason,
    created_at: manifest?.created_at ?? stat.mtime.toISOString(),
    bytes: stat.size,
    sha256: manifest?.sha256 ?? null,
    release: manifest?.release ?? null,
    schema_version: manifest?.schema_version ?? null,
    has_key: existsSync(keyPath(path)),
    same_key: manifest?.key_id === undefined || key_id === null ? null : manifest.key_id === key_id,
  }
}

/** Reports the size of a growing file until the returned function is called. */
function watchSize(
  path: string,
  total_bytes: number,
  phase: BackupPhase,
  onProgress: BackupOptions['onProgress'],
): () => void {
  onProgress({ phase, done_bytes: 0, total_bytes })
  const report = () => {
    const done_bytes = Math.min(fileBytes(path), total_bytes)
    onProgress({ phase, done_bytes, total_bytes })
  }
  const timer = setInterval(report, progressEvery)
  return () => clearInterval(timer)
}

/** Rejects with a `BackupError` if the task fails, and with the signal's reason if it is aborted. */
function runInThread<Result>(data: ThreadData, signal?: AbortSignal): Promise<Result> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const worker = new Worker(new URL('./backup-thread.ts', import.meta.url), {
    workerData: data,
    name: `backup-${randomBytes(2).toString('hex')}`,
  })
  const stop = () => {
    reject(signal?.reason)
    void worker.terminate()
  }
  signal?.addEventListener('abort', stop, { once: true })
  worker.once('message', (answer: ThreadAnswer) => {
    if (answer.ok) resolve(answer.value as Result)
    else reject(new BackupError(answer.message))
  })
  worker.once('error', reject)
  worker.once('exit', () => reject(new BackupError('The backup was interrupted')))
  return promise.finally(() => signal?.removeEventListener('abort', stop))
}
