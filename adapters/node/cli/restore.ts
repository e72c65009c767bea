import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockFolder } from '../../libsql/lock.ts'
import { restoreStore } from '../../libsql/restore.ts'
import { type Command, Failure, print } from './command.ts'
import { environmentOf } from './settings.ts'

export const command: Command = {
  usage: 'restore <file>',
  what: 'Put a backup in the place of the database; the present one is kept beside it',
  options: [
    ['--keys', 'Take the master key from <file>.master.key too'],
    ['--json', 'Print JSON'],
  ],
  run([given = ''], options) {
    const { data_dir, database_url, encryption_key } = environmentOf({})
    if (database_url) throw new Failure('The database is on a server; restore it there')
    const file = resolve(given)
    const lock = lockFolder(data_dir)
    try {
      if (options.keys) takeKey(data_dir, file)
      const kept = restoreStore(data_dir, file, encryption_key)
      print(
        options,
        { restored: file, kept },
        `Restored from ${file}${kept ? `; what was there is now ${kept}` : ''}`,
      )
    } finally {
      lock.release()
    }
  },
}

function takeKey(data_dir: string, file: string): void {
  const source = `${file}.master.key`
  if (!existsSync(source)) throw new Failure(`There is no ${source}`)
  const target = join(data_dir, 'master.key')
  copyFileSync(source, target)
  chmodSync(target, 0o600)
}
