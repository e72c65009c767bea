import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { conflict, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { builtinSkills } from './builtin.ts'
import { readSkill } from './format.ts'
import type { CustomSkill, NewSkill, SkillChanges } from './schema.ts'
import {
  countSkillRecords,
  deleteSkill,
  findSkillRecord,
  insertSkill,
  listSkillRecords,
  type SkillRecord,
  updateSkill,
} from './store.ts'

async function toSkill({ content, ...record }: SkillRecord): Promise<CustomSkill> {
  return { ...(await readSkill(content)), ...record, source: 'custom' }
}

export async function listCustomSkills(host: Pick<Host, 'sql'>, page: Page) {
  const [records, total] = await Promise.all([listSkillRecords(host, page), countSkillRecords(host)])
  return { skills: await Promise.all(records.map(toSkill)), total, ...page }
}

export async function requireCustomSkill(host: Pick<Host, 'sql'>, id: string): Promise<CustomSkill> {
  return toSkill(await requireRecord(host, id))
}

async function requireRecord(host: Pick<Host, 'sql'>, id: string): Promise<SkillRecord> {
  const record = await findSkillRecord(host, id)
  if (!record) throw notFound(`The skill ${id}`)
  return record
}

export async function addSkill(context: Context, { content, enabled }: NewSkill): Promise<CustomSkill> {
  const now = context.clock.now()
  const at = { created_at: iso(now), updated_at: iso(now) }
  const record = { id: newId('skill', now), ...(await headOf(content)), content, enabled, ...at }
  await store(context, insertSkill(record), { what: 'created', record })
  return toSkill(record)
}

/** A name is what agents list and models call, so no two skills share one. */
async function headOf(content: string): Promise<Pick<SkillRecord, 'name' | 'description'>> {
  const { name, description } = await readSkill(content)
  if ((await builtinSkills()).some((builtin) => builtin.name === name))
    throw conflict(`${name} is the name of a built-in skill; choose another one`)
  return { name, description }
}

export async function changeSkill(context: Context, id: string, changes: SkillChanges): Promise<CustomSkill> {
  const old = await requireRecord(context, id)
  const head = changes.content === undefined ? {} : await headOf(changes.content)
  const record: SkillRecord = { ...old, ...changes, ...head, updated_at: iso(context.clock.now()) }
  await store(context, updateSkill(record), { what: 'updated', record })
  return toSkill(record)
}

/** Without `enabled` it is turned round. */
export async function toggleSkill(context: Context, id: string, enabled?: boolean): Promise<CustomSkill> {
  const old = await requireRecord(context, id)
  return changeSkill(context, id, { enabled: enabled ?? !old.enabled })
}

export async function removeSkill(context: Context, id: string): Promise<void> {
  const record = await requireRecord(context, id)
  await store(context, deleteSkill(id), { what: 'deleted', record })
}

interface Change {
  what: 'created' | 'updated' | 'deleted'
  record: SkillRecord
}

const store = (context: Context, statement: Statement, { what, record: { id, name, enabled } }: Change) =>
  context.commit(
    [statement, auditStatement(context, { action: `skill.${what}`, target: id })],
    [{ type: `skill.${what}`, data: { skill_id: id, name, enabled } }],
  )
