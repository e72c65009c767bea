import { z } from 'zod'
import { owned, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'

/** A saved sign-in state: cookies and local storage, which are never shown. */
export const AuthState = z.object({
  name: z.string(),
  /** Number of cookies. */
  cookies: z.number().int(),
  /** Origins with local storage. */
  origins: z.array(z.string()),
  created_at: z.string(),
})
export type AuthState = z.output<typeof AuthState>

type Reader = Pick<Context, 'sql' | 'caller'>

interface Row {
  name: string
  cookies: number
  origins: string
  sealed: string
  created_at: string
}

const shown = ({ name, cookies, origins, created_at }: Row): AuthState => ({
  name,
  cookies,
  origins: JSON.parse(origins) as string[],
  created_at,
})

export async function listAuthStates(context: Reader, page: Page) {
  const own = owned(context)
  const query = {
    select: `SELECT * FROM browser_auth_states WHERE ${own.sql}`,
    args: own.args,
    order: 'name',
  }
  const { rows, total } = await selectPage<Row>(context, query, page)
  return { auth_states: rows.map(shown), total }
}

export async function findAuthState(
  context: Reader,
  name: string,
): Promise<(AuthState & { sealed: string }) | null> {
  const sql = 'SELECT * FROM browser_auth_states WHERE name = ? AND owner_id = ?'
  const [row] = await context.sql.read<Row>(sql, [name, ownerOf(context)])
  return row ? { ...shown(row), sealed: row.sealed } : null
}

export const upsertAuthState = (
  owner_id: string,
  { name, cookies, origins, created_at }: AuthState,
  sealed: string,
): Statement => ({
  sql: `INSERT INTO browser_auth_states (owner_id, name, cookies, origins, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, name) DO UPDATE SET cookies = excluded.cookies, origins = excluded.origins,
      sealed = excluded.sealed, created_at = excluded.created_at`,
  args: [owner_id, name, cookies, JSON.stringify(origins), sealed, created_at],
})

export const deleteAuthState = (owner_id: string, name: string): Statement => ({
  sql: 'DELETE FROM browser_auth_states WHERE owner_id = ? AND name = ?',
  args: [owner_id, name],
})
