import type { Context } from '../context.ts'
import { badRequest, unauthorized } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { hour, iso } from '../time.ts'
import type { WorkSource } from '../work/source.ts'
import { auditStatement } from './audit.ts'
import { digest, newCredential } from './credential.ts'
import type { Login, Session, User } from './schema.ts'
import { readSecurity } from './security.ts'
import { authState } from './state.ts'
import { deleteExpiredSessions, deleteSession, insertSession } from './store.ts'
import { tryOnce } from './throttle.ts'
import { noteLogin, userForCheck } from './user-store.ts'

/** Creates a session: the token for the response and the statement for the commit. */
export async function openSession(
  context: Context,
  user_id: string,
): Promise<{ session: Session; statement: Statement }> {
  const lifetime = (await readSecurity(context)).session_hours * hour
  const now = context.clock.now()
  const token = newCredential('sess', context.secrets)
  const row = { id: newId('sess', now), user_id, created_at: iso(now), expires_at: iso(now + lifetime) }
  const statement = insertSession(row, digest(token, context.secrets))
  return { session: { token, expires_at: row.expires_at }, statement }
}

/** Exchanges a username and password for a session. Error and timing do not reveal which of the two was wrong. */
export async function login(context: Context, input: Login): Promise<Session & { token_type: 'Bearer'; user: User }> {
  const user = await tryOnce(context, () => checkPassword(context, input))
  if (!user) {
    // The name is not logged, because people type passwords into that field by mistake.
    await context.commit([auditStatement(context, { action: 'user.logged_in', target: '', outcome: 'failed' })])
    throw unauthorized(wrongPassword)
  }
  const now = iso(context.clock.now())
  const { session, statement } = await openSession(context, user.id)
  const named = { ...context, caller: { ...context.caller, name: user.username } }
  await context.commit([
    deleteExpiredSessions(now),
    noteLogin(user.id, now, 'This user has just been removed'),
    statement,
    auditStatement(named, { action: 'user.logged_in', target: user.id }),
  ])
  return { ...session, token_type: 'Bearer', user: { ...user, last_login_at: now } }
}

const wrongPassword = 'Invalid username or password'

async function checkPassword(context: Context, { username, password }: Login): Promise<User | null> {
  const decoy = await authState(context).decoyHash(context.secrets)
  const account = await userForCheck(context, 'username', username.trim())
  const matches = await context.secrets.verifyPassword(password, account?.password_hash ?? decoy)
  if (!account || !matches) return null
  const { password_hash: _, ...user } = account
  return user
}

/** A session that has ended stays ended when the clock is set back. */
export const keepEnded: WorkSource = {
  queueDue: async () => undefined,
  nextDue: async () => null,
  async clockSetBack(host, latest) {
    if (latest > 0) await host.sql.write([deleteExpiredSessions(iso(latest))])
  },
}

/** Ends the caller's session and closes its connections. */
export async function logout(context: Context): Promise<void> {
  const { kind, id } = context.caller
  if (kind !== 'session' || id === null) throw badRequest('Only sessions can log out; revoke an API key instead')
  await context.commit(
    [deleteSession(id), auditStatement(context, { action: 'user.logged_out', target: id })],
    [{ type: 'session.ended', data: { id } }],
  )
  context.process.connections.endOf(id)
}
