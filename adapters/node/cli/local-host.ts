import { existsSync } from 'node:fs'
import { assembleHost } from '../../../runtime/assemble.ts'
import { defaultConfig } from '../../../runtime/config.ts'
import type { Host } from '../../../runtime/host.ts'
import { pendingMigrations } from '../../../runtime/migrations/migrate.ts'
import type { Sql } from '../../../runtime/ports/sql.ts'
import { openDatabase } from '../../libsql/database.ts'
import { LocalSql } from '../../libsql/local.ts'
import { databasePath, openStore } from '../../libsql/open.ts'
import { createLog } from '../../log/log.ts'
import type { Environment } from '../environment.ts'
import { nodePorts } from '../ports.ts'
import { Failure } from './command.ts'

/**
 * Runs something on the store itself, beside a daemon or without one. Whoever may read and write the data folder is
 * its owner, so no credential is asked and none needs to lie around in a file.
 */
export async function withLocalHost<Result>(
  environment: Environment,
  run: (host: Host) => Promise<Result>,
): Promise<Result> {
  const sql = await openSql(environment)
  const log = createLog({ level: 'warn', stream: process.stderr })
  const { ports, close } = nodePorts({ environment, sql, log, own_ports: () => [] })
  try {
    if ((await pendingMigrations(sql)).length > 0)
      throw new Failure('This database belongs to another release; run hearthd start once')
    const config = { ...defaultConfig, timezone: environment.timezone }
    return await run(
      assembleHost({ ports, config, stopping: new AbortController().signal, wake: () => undefined }),
    )
  } finally {
    await close()
    await sql.close()
  }
}

async function openSql(environment: Environment): Promise<Sql> {
  const { data_dir, encryption_key, database_url: url, database_token: auth_token } = environment
  if (url) return (await openStore({ data_dir, url, ...(auth_token ? { auth_token } : {}) })).sql
  const path = databasePath(data_dir)
  if (!existsSync(path)) throw new Failure(`There is no hearthd in ${data_dir} yet; begin with hearthd start`)
  return new LocalSql(openDatabase(path, encryption_key), async () => ({ bytes: 0, wal_bytes: 0 }))
}
