import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { areas } from '../../handlers/index.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import type { SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import { type Config, defaultConfig } from '../../runtime/config.ts'
import type { Ports } from '../../runtime/host.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { migrate } from '../../runtime/migrations/migrate.ts'
import type { Models } from '../../runtime/ports/models.ts'

/** Creating every table takes longer than all else that a host does at its start, so each gets a copy. */
export const emptyImage = (async () => {
  const sql = createMemorySql()
  await migrate(sql, defaultConfig.version, '2026-01-05T12:00:00.000Z')
  return sql.image()
})()

/** A host in memory with every area. */
export const testHost = async (own: Partial<Ports> = {}, config: Partial<Config> = {}): Promise<MemoryHost> =>
  createMemoryHost(areas, { sql: createMemorySql(await emptyImage), ...own }, config)

export const peer = { address: '127.0.0.1', local: true }

/** A caller with every scope, for calling an endpoint without the way through authentication. */
export const adminCaller: Caller = {
  kind: 'api_key',
  id: 'key_test',
  user_id: null,
  name: 'test',
  scopes: ['admin'],
  ...peer,
}

/** Ends bootstrap mode as the setup page does. */
export function setUpAdmin(host: MemoryHost): Promise<SetupResult> {
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const input = { username: 'ada', password: 'correct horse battery', key_name: 'First key' }
  return setUp(context, input)
}

/** A daemon that starts on the data of one that was killed. Its clock begins at the usual time. */
export const restarted = ({ sql, secrets, files }: MemoryHost, models: Models): Promise<MemoryHost> =>
  createMemoryHost(areas, { sql, secrets, files, models })
