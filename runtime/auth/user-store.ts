import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { nobody } from './owner.ts'
import type { User } from './schema.ts'

const userColumns = 'id, username, role, display_name, created_at, last_login_at'

/** The id of the administrator who was there first; null before setup. */
export async function firstAdministrator(host: Host): Promise<string | null> {
  const rows = await host.sql.read<{ id: string | null }>(
    `SELECT min(id) AS id FROM users WHERE role = 'admin'`,
  )
  return rows[0]?.id ?? null
}

export type UserWithHash = User & { password_hash: string }

export async function userById(host: Host, id: string): Promise<User | null> {
  const rows = await host.sql.read<User>(`SELECT ${userColumns} FROM users WHERE id = ?`, [id])
  return rows[0] ?? null
}

/** A user with the password hash, for checking a password. */
export async function userForCheck(
  host: Host,
  by: 'id' | 'username',
  value: string,
): Promise<UserWithHash | null> {
  const rows = await host.sql.read<UserWithHash>(
    `SELECT ${userColumns}, password_hash FROM users WHERE ${by} = ?`,
    [value],
  )
  return rows[0] ?? null
}

export async function listUsers(host: Host, page: Page): Promise<{ users: User[]; total: number }> {
  const query = { select: `SELECT ${userColumns} FROM users`, args: [], order: 'id' }
  const { rows: users, total } = await selectPage<User>(host, query, page)
  return { users, total }
}

export const insertUser = (user: User, password_hash: string, guard: string): Statement => ({
  sql: `INSERT INTO users (id, username, role, display_name, password_hash, created_at, last_login_at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  args: [
    user.id,
    user.username,
    user.role,
    user.display_name,
    password_hash,
    user.created_at,
    user.last_login_at,
  ],
  guard,
})

export const updateUser = ({ id, role, display_name }: User, guard: string): Statement => ({
  sql: 'UPDATE users SET role = ?, display_name = ? WHERE id = ?',
  args: [role, display_name, id],
  guard,
})

export const setPassword = (id: string, password_hash: string, guard: string): Statement => ({
  sql: 'UPDATE users SET password_hash = ? WHERE id = ?',
  args: [password_hash, id],
  guard,
})

export const noteLogin = (id: string, now: string, guard: string): Statement => ({
  sql: 'UPDATE users SET last_login_at = ? WHERE id = ?',
  args: [now, id],
  guard,
})

export const deleteUser = (id: string, guard: string): Statement => ({
  sql: 'DELETE FROM users WHERE id = ?',
  args: [id],
  guard,
})

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
