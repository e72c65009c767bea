import { z } from 'zod'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

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

export async function listAuthStates(
  host: Host,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ auth_states: AuthState[]; total: number }> {
  const [[count], rows] = await Promise.all([
    host.sql.read<{ total: number }>('SELECT count(*) AS total FROM browser_auth_states'),
    host.sql.read<Row>('SELECT * FROM browser_auth_states ORDER BY name LIMIT ? OFFSET ?', [limit, offset]),
  ])
  return { auth_states: rows.map(shown), total: count?.total ?? 0 }
}

export async function findAuthState(
  host: Host,
  name: string,
): Promise<(AuthState & { sealed: string }) | null> {
  const [row] = await host.sql.read<Row>('SELECT * FROM browser_auth_states WHERE name = ?', [name])
  return row ? { ...shown(row), sealed: row.sealed } : null
}

export const upsertAuthState = (
  { name, cookies, origins, created_at }: AuthState,
  sealed: string,
): Statement => ({
  sql: `INSERT INTO browser_auth_states (name, cookies, origins, sealed, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET cookies = excluded.cookies, origins = excluded.origins,
      sealed = excluded.sealed, created_at = excluded.created_at`,
  args: [name, cookies, JSON.stringify(origins), sealed, created_at],
})

export const deleteAuthState = (name: string): Statement => ({
  sql: 'DELETE FROM browser_auth_states WHERE name = ?',
  args: [name],
})
