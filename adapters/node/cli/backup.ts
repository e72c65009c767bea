import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backUp, backupPath, copyPrivate, keyPath } from '../../libsql/backup.ts'
import { archivePath } from '../../libsql/backup-archive.ts'
import { databasePath, openDatabase } from '../../libsql/database.ts'
import { lockFolder, markCopied } from '../../libsql/lock.ts'
import { restoreStore } from '../../libsql/restore.ts'
import { masterKeyId } from '../../secrets/secrets.ts'
import { command, environmentOf, Failure, jsonOption, print } from './command.ts'

const backup = command({
  usage: 'backup [file]',
  what: 'Write a verified copy of the database, and of the files as <file>.files.tar; the daemon may be running',
  options: {
    keys: { what: 'Copy the master key too, as <file>.master.key; stored secrets cannot be read without it' },
    'without-files': { what: 'Leave out uploaded files, workspaces and recordings' },
    ...jsonOption,
  },
  run([target], options) {
    const { data_dir, database_url, encryption_key, secret_key } = environmentOf()
    if (database_url) throw new Failure('The database is on a server; back it up there')
    const path = databasePath(data_dir)
    if (!existsSync(path)) throw new Failure(`There is no database at ${path}`, { name: 'not_found' })
    const file = target ? resolve(target) : backupPath(data_dir, 'manual')
    if (existsSync(file)) throw new Failure(`${file} already exists`, { name: 'conflict' })
    const db = openDatabase(path, encryption_key)
    const files_of = options['without-files'] ? undefined : data_dir
    const { files } = written(file, () => backUp(db, file, encryption_key, masterKeyIn(data_dir, secret_key), files_of))
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    markCopied(data_dir)
    const key_file = options.keys ? keyPath(file) : null
    if (key_file) copyPrivate(join(data_dir, 'master.key'), key_file)
    const files_file = files ? archivePath(file) : null
    const answer = { file, bytes: statSync(file).size, key_file, files_file, files: files ?? null }
    print(options, answer, [file, files_file, key_file].filter(Boolean).join('\n'))
  },
})

/** Explains in one line why a file cannot be written. */
function written<Result>(file: string, write: () => Result): Result {
  try {
    return write()
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown
    throw new Failure(`Cannot write ${file}: ${thrown.message}`, { name: 'cannot_write' })
  }
}

const restore = command({
  usage: 'restore <file>',
  what: 'Replace the database and files with those of a backup; the current ones are kept. Keys and passwords become those of the backup',
  options: {
    keys: { what: 'Restore the master key from <file>.master.key too' },
    'without-files': {
      what: 'Keep the current files; by default those of <file>.files.tar replace them, if it exists',
    },
    ...jsonOption,
  },
  run([path = ''], options) {
    const { data_dir, database_url, encryption_key } = environmentOf()
    if (database_url) throw new Failure('The database is on a server; restore it there')
    const file = resolve(path)
    const lock = lockFolder(data_dir)
    try {
      const keys = options.keys ?? false
      if (keys && !existsSync(keyPath(file))) throw new Failure(`There is no ${keyPath(file)}`, { name: 'not_found' })
      const kept = restoreStore(data_dir, file, encryption_key, { keys, files: !options['without-files'] })
      const note = kept ? `; the previous database is now ${kept}` : ''
      print(options, { restored: file, kept }, `Restored from ${file}${note}`)
    } finally {
      lock.release()
    }
  },
})

const masterKeyIn = (data_dir: string, secret_key: string | undefined): string | undefined =>
  masterKeyId({ data_dir, ...(secret_key ? { master_key: secret_key } : {}) }) ?? undefined

export const commands = [backup, restore]
