import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import type { SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import type { Config } from '../../runtime/config.ts'
import type { Ports } from '../../runtime/host.ts'
import { contextOf } from '../../runtime/http/serve.ts'

/** A host in memory with every area. */
export const testHost = (own: Partial<Ports> = {}, config: Partial<Config> = {}): Promise<MemoryHost> =>
  createMemoryHost(areas, own, config)

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
