import type { z } from 'zod'
import type { Context } from '../context.ts'
import { committer } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { systemCaller } from './caller.ts'
import { createKey } from './keys.ts'
import { type IssuedKey, NewKey } from './schema.ts'

/** The context of whoever sits at the machine with the data folder: the command line, not a request. */
export const localContext = (host: Host): Context => ({
  ...host,
  caller: systemCaller,
  request_id: 'local',
  signal: host.process.stopping,
  commit: committer(host),
})

/** `hearthd key create`: a key that belongs to no user. Without scopes it is an admin key, as the shell is. */
export function createKeyLocally(host: Host, input: z.input<typeof NewKey>): Promise<IssuedKey> {
  return createKey(localContext(host), NewKey.parse({ scopes: ['admin'], ...input }))
}
