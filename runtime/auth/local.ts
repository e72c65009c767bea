import type { z } from 'zod'
import type { Context } from '../context.ts'
import { commitAsCaller } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { systemCaller } from './caller.ts'
import { createKey } from './keys.ts'
import { type IssuedKey, NewKey } from './schema.ts'

/** The context of the command line, whose user has access to the data folder. */
export const localContext = (host: Host): Context => ({
  ...host,
  caller: systemCaller,
  request_id: 'local',
  signal: host.process.stopping,
  commit: commitAsCaller,
})

/** `hearthd key create`: a key that belongs to no user. Default scope: admin, because the shell has full access anyway. */
export function createKeyLocally(host: Host, input: z.input<typeof NewKey>): Promise<IssuedKey> {
  return createKey(localContext(host), NewKey.parse({ scopes: ['admin'], ...input }))
}
