import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { Table } from '../table.ts'
import { nobody } from './owner.ts'
import type { User } from './schema.ts'

const users = new Table<User, 'password_hash'>('users', { hidden: ['password_hash'] })
const checkedUsers = new Table<UserWithHash>('users')

/** The id of the administrator who was there first; null before setup. */
export const firstAdministrator = async (host: Host): Promise<string | null> =>
  (await users.values(host, 'id', 'id LIMIT 1', { role: 'admin' }))[0] ?? null

export type UserWithHash = User & { password_hash: string }

export const userById = (host: Host, id: string) => users.find(host, { id })

/** The name of a user as others see it; empty for one who was deleted. */
export const nameOfUser = async (host: Host, id: string) => (await userById(host, id))?.display_name ?? ''

/** A user with the password hash, for checking a password. */
export const userForCheck = (host: Host, by: 'id' | 'username', value: string) =>
  checkedUsers.find(host, { [by]: value })

export const listUsers = (host: Host, page: Page) => users.page(host, page, 'id')

export const insertUser = (user: User, password_hash: string): Statement => ({
  ...users.insert({ ...user, password_hash }, 'ON CONFLICT DO NOTHING'),
  guard: 'This username is taken',
})

/** Sets only the given fields, so that a change of the name at the same time cannot undo a lower role. */
export const updateUser = (
  id: string,
  change: Partial<Pick<User, 'role' | 'display_name'>>,
  guard: string,
): Statement => users.update(change, { id }, guard)

export const setPassword = (id: string, password_hash: string, guard: string): Statement =>
  users.update({ password_hash }, { id }, guard)

export const noteLogin = (id: string, now: string, guard: string): Statement =>
  users.update({ last_login_at: now }, { id }, guard)

export const deleteUser = (id: string, guard: string): Statement => users.delete({ id }, guard)

/** A statement whose guard fails unless an administrator remains. */
export const requireAdminUser = (guard: string): Statement => ({
  sql: `UPDATE bootstrap SET id = id WHERE EXISTS (SELECT 1 FROM users WHERE role = 'admin')`,
  guard,
})

/** Gives what was made before there was an administrator to the first one, in the commit that adds the user. */
export const adoptOrphans = ({ areas }: Pick<Host, 'areas'>, user_id: string): Statement[] =>
  areas
    .flatMap(({ owned_tables = [] }) => owned_tables)
    .map((table) => ({
      sql: `UPDATE ${table} SET owner_id = ?1 WHERE owner_id = '${nobody}'
        AND ?1 = (SELECT min(id) FROM users WHERE role = 'admin')`,
      args: [user_id],
    }))
