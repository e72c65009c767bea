import type { Context } from '../context.ts'
import { conflict, forbidden, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement, Written } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { auditStatement } from './audit.ts'
import { lastAdminKey } from './keys.ts'
import { type NewUser, type PasswordChange, roleScopes, type User, type UserChange } from './schema.ts'
import { deleteKeysOf, deleteSessionsOf, narrowKeysOf, requireAdminKey } from './store.ts'
import { tryOnce } from './throttle.ts'
import {
  adoptOrphans,
  deleteUser,
  insertUser,
  requireAdminUser,
  setPassword,
  updateUser,
  userById,
  userForCheck,
} from './user-store.ts'

const gone = 'Another request has just removed this user'
const lastAdmin = 'This is the last administrator; make another user an administrator first'

/** Builds a user that is not stored yet. The display name defaults to the username. */
export function newUser(context: Context, { username, role, display_name }: Omit<NewUser, 'password'>): User {
  const now = context.clock.now()
  const id = newId('user', now)
  return {
    id,
    username,
    role,
    display_name: display_name ?? username,
    created_at: iso(now),
    last_login_at: null,
  }
}

/** The same for a person who makes it: they are signed in at once. */
export function newOwnUser(context: Context, input: Omit<NewUser, 'password'>): User {
  const user = newUser(context, input)
  return { ...user, last_login_at: user.created_at }
}

export async function registerUser(context: Context, input: NewUser): Promise<User> {
  const password_hash = await context.secrets.hashPassword(input.password)
  const user = newUser(context, input)
  await context.commit(
    [
      insertUser(user, password_hash),
      ...adoptOrphans(context, user.id),
      auditStatement(context, { action: 'user.created', target: user.id }),
    ],
    [{ type: 'user.created', data: { id: user.id } }],
    { answer: user },
  )
  return user
}

/**
 * Changes a user. A new password or a lower role ends the user's sessions; a user who is no longer an administrator
 * loses the admin scope of all keys.
 */
export async function changeUser(context: Context, id: string, change: UserChange): Promise<User> {
  const before = await requireUser(context, id)
  const after = {
    ...before,
    role: change.role ?? before.role,
    display_name: change.display_name ?? before.display_name,
  }
  const demoted = before.role === 'admin' && after.role !== 'admin'
  const fields = Object.entries({ role: change.role, display_name: change.display_name })
  const changes = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  const steps = Object.keys(changes).length > 0 ? [updateUser(id, changes, gone)] : []
  if (change.password) steps.push(setPassword(id, await context.secrets.hashPassword(change.password), gone))
  if (demoted) steps.push(narrowKeysOf(id, roleScopes.user), ...adminsLeft(context))
  if (demoted || change.password) steps.push(deleteSessionsOf(id))
  steps.push(auditStatement(context, { action: 'user.updated', target: id }))
  endConnections(context, await context.commit(steps, [{ type: 'user.updated', data: { id } }]))
  return after
}

/** Removes a user with all keys and sessions, unless that would remove the last administrator or admin key. */
export async function removeUser(context: Context, id: string): Promise<void> {
  const user = await requireUser(context, id)
  const steps = [deleteKeysOf(id), deleteSessionsOf(id), deleteUser(id, gone)]
  if (user.role === 'admin') steps.push(...adminsLeft(context))
  steps.push(auditStatement(context, { action: 'user.deleted', target: id }))
  endConnections(context, await context.commit(steps, [{ type: 'user.deleted', data: { id } }]))
}

/** Changes the caller's own password. Requires the current one, in case somebody else is at the screen. */
export async function changeOwnPassword(context: Context, input: PasswordChange): Promise<void> {
  const { id, user_id } = context.caller
  if (user_id === null) throw conflict('This credential does not belong to a user, so there is no password to change')
  const right = await tryOnce(context, () => checkOwn(context, user_id, input.current_password))
  if (!right) throw forbidden('The current password is wrong')
  const password_hash = await context.secrets.hashPassword(input.new_password)
  const steps = [
    setPassword(user_id, password_hash, gone),
    deleteSessionsOf(user_id, id ?? ''),
    auditStatement(context, { action: 'user.password_changed', target: user_id }),
  ]
  const written = await context.commit(steps, [{ type: 'user.updated', data: { id: user_id } }])
  endConnections(context, written)
}

/** Closes the connections of the credentials whose ids the statements returned. */
function endConnections(context: Context, written: Written[]): void {
  for (const { id } of written.flatMap(({ rows }) => rows)) context.process.connections.endOf(String(id))
}

async function checkOwn(context: Context, user_id: string, password: string): Promise<true | null> {
  const user = await userForCheck(context, 'id', user_id)
  return user && (await context.secrets.verifyPassword(password, user.password_hash)) ? true : null
}

async function requireUser(context: Context, id: string): Promise<User> {
  const user = await userById(context, id)
  if (!user) throw notFound('The user')
  return user
}

const adminsLeft = (context: Context): Statement[] => [
  requireAdminUser(lastAdmin),
  requireAdminKey(iso(context.clock.now()), lastAdminKey),
]
