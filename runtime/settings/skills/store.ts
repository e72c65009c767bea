import type { Statement } from '../../ports/sql.ts'
import { type Sql, Table } from '../../table.ts'

/** A stored custom skill; everything else is parsed from `content`. */
export interface SkillRecord {
  id: string
  name: string
  description: string
  content: string
  enabled: boolean
  created_at: string
  updated_at: string
}

/** Names of the disabled built-in skills. */
export async function disabledBuiltins({ sql }: Sql): Promise<Set<string>> {
  const rows = await sql.read<{ name: string }>('SELECT name FROM builtin_skills WHERE enabled = 0')
  return new Set(rows.map(({ name }) => name))
}

/** Fails unless the skill is still enabled or disabled as at `before`. */
export const setBuiltinEnabled = (
  name: string,
  { enabled, before, now }: { enabled: boolean; before: boolean; now: string },
): Statement => ({
  sql: `INSERT INTO builtin_skills (name, enabled, updated_at) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET enabled = ?2, updated_at = ?3 WHERE enabled = ?4`,
  args: [name, Number(enabled), now, Number(before)],
  guard: 'The skill was changed by another request; try again',
})

export const nameTaken = 'There is already a skill with this name'

export const customSkills = new Table<SkillRecord>('skills', { kept: true, booleans: ['enabled'], unique: nameTaken })
