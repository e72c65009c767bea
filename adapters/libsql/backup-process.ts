import { errorMessage } from '../../runtime/thrown.ts'
import '../process/end-with-parent.ts'
import { backUp, backupDamage, checksumDamage, filesDamage, finish, readBackup, versionIn } from './backup.ts'
import { measureFiles } from './backup-archive.ts'
import { openDatabase } from './database.ts'
import { stageRestore } from './restore.ts'

/**
 * Runs one slow backup task in its own process, so that the event loop is not blocked. Not in a thread: ending a
 * thread inside the database driver aborts the daemon. It ends with the daemon, so that a restore that was being staged
 * does not meet the next daemon.
 */
export type BackupTask =
  | {
      task: 'create'
      database: string
      target: string
      key_id?: string | undefined
      files_of?: string | undefined
    }
  | { task: 'measure'; data_dir: string }
  | { task: 'finish'; target: string }
  | { task: 'verify'; path: string }
  | { task: 'inspect'; path: string }
  | { task: 'stage'; data_dir: string; backup: string; by: string; keys: boolean; files: boolean }

export type BackupQuestion = BackupTask & { encryption_key?: string | undefined }

export type BackupAnswer = { ok: true; value: unknown } | { ok: false; message: string }

function perform(data: BackupQuestion): unknown {
  const { encryption_key } = data
  switch (data.task) {
    case 'create': {
      const db = openDatabase(data.database, encryption_key)
      try {
        return backUp(db, data.target, encryption_key, data.key_id, data.files_of)
      } finally {
        db.close()
      }
    }
    case 'measure':
      return measureFiles(data.data_dir)
    case 'finish':
      return finish(data.target, encryption_key)
    case 'verify':
      return (
        checksumDamage(data.path) ??
        backupDamage(data.path, encryption_key, 'integrity_check') ??
        filesDamage(data.path)
      )
    case 'inspect':
      return { ...versionIn(data.path, encryption_key), rows: countRows(data.path, encryption_key) }
    case 'stage':
      return stageRestore(data.data_dir, data, encryption_key)
  }
}

const countRows = (path: string, encryption_key?: string): Record<string, number> =>
  readBackup(path, encryption_key, (db) => {
    const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
      AND sql NOT LIKE 'CREATE VIRTUAL%'`
    const tables = db.prepare(sql).all([]) as { name: string }[]
    const count = (name: string) =>
      (db.prepare(`SELECT count(*) AS rows FROM "${name}"`).all([]) as { rows: number }[])[0]?.rows ?? 0
    return Object.fromEntries(tables.map(({ name }) => [name, Number(count(name))]))
  })

function answer(question: BackupQuestion): BackupAnswer {
  try {
    return { ok: true, value: perform(question) }
  } catch (thrown) {
    return { ok: false, message: errorMessage(thrown) }
  }
}

process.once('message', (question: BackupQuestion) => process.send?.(answer(question)))
