import type { Context } from '../context.ts'
import { auditStatement } from './audit.ts'
import { makeKey, newKeyRow } from './keys.ts'
import type { NewAdmin, SetupResult } from './schema.ts'
import { openSession } from './sessions.ts'
import { authState } from './state.ts'
import { endBootstrap, insertKey } from './store.ts'
import { adoptOrphans, insertUser } from './user-store.ts'
import { newOwnUser } from './users.ts'

/**
 * Ends bootstrap mode: creates the first user, key and session in one transaction.
 * Of concurrent calls one succeeds; the others get a 409 and store nothing.
 */
export async function setUp(context: Context, input: NewAdmin): Promise<SetupResult> {
  const auth = authState(context)
  auth.setups += 1
  try {
    return await createFirst(context, input)
  } finally {
    auth.setups -= 1
  }
}

async function createFirst(context: Context, { key_name, ...input }: NewAdmin): Promise<SetupResult> {
  const password_hash = await context.secrets.hashPassword(input.password)
  const user = newOwnUser(context, { ...input, role: 'admin' })
  const owner = { ...context, caller: { ...context.caller, user_id: user.id, name: user.username } }
  const row = newKeyRow(owner, {
    name: key_name,
    description: 'Created at setup',
    scopes: ['admin'],
    expires_at: null,
  })
  const { key, stored } = makeKey(context.secrets)
  const { session, statement } = await openSession(context, user.id)
  await context.commit(
    [
      endBootstrap(row.created_at, 'Another request has just completed setup'),
      insertUser(user, password_hash),
      ...adoptOrphans(context, user.id),
      insertKey(row, stored),
      statement,
      auditStatement(owner, { action: 'setup.completed', target: user.id }),
    ],
    [{ type: 'setup.completed', data: { user_id: user.id, key_id: row.id } }],
  )
  return { user, api_key: { id: row.id, name: row.name, key, created_at: row.created_at }, session }
}
