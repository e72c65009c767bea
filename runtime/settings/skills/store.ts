import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import type { Statement } from '../../ports/sql.ts'

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

type Row = Omit<SkillRecord, 'enabled'> & { enabled: number }
type Sql = Pick<Host, 'sql'>

const toRecord = (row: Row): SkillRecord => ({ ...row, enabled: row.enabled === 1 })

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

/** Oldest first; all of them without a page. */
export async function listSkillRecords(
  { sql }: Sql,
  page: Page = { limit: -1, offset: 0 },
): Promise<SkillRecord[]> {
  const rows = await sql.read<Row>('SELECT * FROM skills ORDER BY id LIMIT ? OFFSET ?', [
    page.limit,
    page.offset,
  ])
  return rows.map(toRecord)
}

export async function countSkillRecords({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ total: number }>('SELECT count(*) AS total FROM skills')
  return row?.total ?? 0
}

export async function findSkillRecord({ sql }: Sql, id: string): Promise<SkillRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM skills WHERE id = ?', [id])
  return row ? toRecord(row) : null
}

export async function findSkillByName({ sql }: Sql, name: string): Promise<SkillRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM skills WHERE name = ?', [name])
  return row ? toRecord(row) : null
}

export const nameTaken = 'There is already a skill with this name'

export const insertSkill = (skill: SkillRecord): Statement => ({
  sql: `INSERT INTO skills (id, name, description, content, enabled, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  args: [
    skill.id,
    skill.name,
    skill.description,
    skill.content,
    Number(skill.enabled),
    skill.created_at,
    skill.updated_at,
  ],
  guard: nameTaken,
})

/** Fails if the skill has been changed or deleted since `before` was read, or if another one has just taken its name. */
export const updateSkill = (skill: SkillRecord, before: SkillRecord): Statement => ({
  sql: `UPDATE OR IGNORE skills SET name = ?, description = ?, content = ?, enabled = ?, updated_at = ?
    WHERE id = ? AND updated_at = ?`,
  args: [
    ...[skill.name, skill.description, skill.content, Number(skill.enabled), skill.updated_at],
    ...[skill.id, before.updated_at],
  ],
  guard: 'The skill was changed by another request; try again',
})

export const deleteSkill = (id: string): Statement => ({
  sql: 'DELETE FROM skills WHERE id = ?',
  args: [id],
  guard: 'The skill was already deleted',
})
