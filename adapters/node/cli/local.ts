import { existsSync } from 'node:fs'
import { areas } from '../../../handlers/index.ts'
import { assembleHost } from '../../../runtime/assemble.ts'
import { localContext } from '../../../runtime/auth/local.ts'
import { openSession } from '../../../runtime/auth/sessions.ts'
import { listUsers } from '../../../runtime/auth/user-store.ts'
import { defaultConfig } from '../../../runtime/config.ts'
import type { Host } from '../../../runtime/host.ts'
import { pendingMigrations } from '../../../runtime/migrations/migrate.ts'
import type { Sql } from '../../../runtime/ports/sql.ts'
import { databasePath, openDatabase } from '../../libsql/database.ts'
import { LocalSql } from '../../libsql/local.ts'
import { markCopied } from '../../libsql/lock.ts'
import { openStore } from '../../libsql/open.ts'
import { createLog } from '../../log/log.ts'
import type { Environment } from '../environment.ts'
import { nodePorts } from '../ports.ts'
import { Failure } from './command.ts'

/** Opens a session of the first administrator and returns its token. */
export const openLocalSession = (environment: Environment): Promise<string> =>
  withLocalHost(environment, async (host) => {
    const { rows: users } = await listUsers(host, { limit: 200, offset: 0 })
    const admin = users.find((user) => user.role === 'admin')
    if (!admin) throw new Failure('There is no administrator yet: run hearthd setup, or pass --key')
    const context = localContext(host)
    const { session, statement } = await openSession(context, admin.id)
    await context.commit([statement])
    return session.token
  })

/**
 * Runs something directly on the store, whether a daemon is running or not. It needs no credential: anyone
 * who can write to the data folder owns it.
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
    const stopping = new AbortController().signal
    return await run(assembleHost({ ports, areas, config, stopping, wake: () => undefined }))
  } finally {
    await close()
    await sql.close()
    if (!environment.database_url) markCopied(environment.data_dir)
  }
}

async function openSql(environment: Environment): Promise<Sql> {
  const { data_dir, encryption_key, database_url: url, database_token: auth_token } = environment
  if (url) return (await openStore({ data_dir, url, ...(auth_token ? { auth_token } : {}) })).sql
  const path = databasePath(data_dir)
  if (!existsSync(path)) throw new Failure(`There is no hearthd in ${data_dir} yet; run hearthd start first`)
  return new LocalSql(openDatabase(path, encryption_key), async () => ({ bytes: 0, wal_bytes: 0 }))
}
