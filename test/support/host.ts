import type { MemoryHost } from '../../adapters/memory/host.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import type { SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import { contextOf } from '../../runtime/http/serve.ts'

export { createMemoryHost as testHost } from '../../adapters/memory/host.ts'

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
