import type { Context } from '../context.ts'
import { databaseAddress } from '../databases/address.ts'
import { conflict } from '../fault.ts'
import { DatabaseError, type DatabaseServer } from '../ports/databases.ts'
import { requireNamed, type StoredCredential } from './credentials.ts'
import { openFields } from './sealed.ts'

/** The database of a credential that the caller may use, by its id or name. */
export async function databaseOf(context: Context, name: string): Promise<DatabaseServer> {
  return serverIn(context, await requireNamed(context, name))
}

async function serverIn(context: Context, credential: StoredCredential): Promise<DatabaseServer> {
  const fields = await openFields(context, credential)
  const address = fields.kind === 'database' ? databaseAddress(fields.url) : 'is not one of a database'
  if (typeof address === 'string') throw conflict(`The credential “${credential.name}” ${address}`)
  const password = fields.kind === 'database' ? (fields.password ?? '') : ''
  return { ...address, password, is_trusted: credential.is_trusted }
}

/** Connects once, for the test of a credential. */
export async function tryDatabase(
  context: Context,
  credential: StoredCredential,
): Promise<{ ok: boolean; detail: string }> {
  const server = await serverIn(context, credential)
  const { databases, signal } = context
  const statements = [{ text: 'SELECT 1', values: [] }]
  try {
    if (server.engine === 'redis') await databases.command(server, [['PING']], signal)
    else await databases.run(server, { statements, read_only: true, max_rows: 1, long_as_text: false }, signal)
    return { ok: true, detail: `${server.host || server.database} answered` }
  } catch (thrown) {
    if (thrown instanceof DatabaseError) return { ok: false, detail: thrown.message.slice(0, 500) }
    throw thrown
  }
}
