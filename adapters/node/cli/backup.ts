import { chmodSync, copyFileSync, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backUp, backupPath } from '../../libsql/backup.ts'
import { openDatabase } from '../../libsql/database.ts'
import { databasePath } from '../../libsql/open.ts'
import { type Command, Failure, print } from './command.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'backup [file]',
  what: 'Write a verified copy of the database, also while the daemon runs',
  options: [
    ['--keys', 'Copy the master key too, as <file>.master.key: without it stored secrets cannot be read'],
    ['--json', 'Print JSON'],
  ],
  run([given], options) {
    const { data_dir, database_url, encryption_key } = environmentOf({})
    if (database_url) throw new Failure('The database is on a server; back it up there')
    const path = databasePath(data_dir)
    if (!existsSync(path)) throw new Failure(`There is no database at ${path}`)
    const file = given ? resolve(given) : backupPath(data_dir, 'manual')
    if (existsSync(file)) throw new Failure(`${file} exists already`)
    const db = openDatabase(path, encryption_key)
    backUp(db, file, encryption_key)
    db.close()
    const key = options.keys ? copyKey(data_dir, file) : null
    print(
      options,
      { file, bytes: statSync(file).size, key_file: key },
      [file, ...(key ? [key] : [])].join('\n'),
    )
  },
}

function copyKey(data_dir: string, file: string): string {
  const target = `${file}.master.key`
  copyFileSync(join(data_dir, 'master.key'), target)
  chmodSync(target, 0o600)
  return target
}
