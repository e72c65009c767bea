import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { conflict, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { newId } from '../../id.ts'
import { againIfLost } from '../../lost-race.ts'
import type { Statement } from '../../ports/sql.ts'
import { required } from '../../required.ts'
import { iso, laterThan } from '../../time.ts'
import { builtinSkills } from './builtin.ts'
import {
  type CustomSkill,
  type NewSkill,
  readSkill,
  type Skill,
  type SkillChanges,
  type SkillSummary,
} from './schema.ts'
import { customSkills, disabledBuiltins, nameTaken, type SkillRecord, setBuiltinEnabled } from './store.ts'

type Sql = Pick<Host, 'sql'>

/** All skills without their instructions: built-in ones first, then custom ones, oldest first. */
export async function listSkills(host: Sql): Promise<SkillSummary[]> {
  const [builtin, custom] = await Promise.all([listBuiltinSkills(host), customSkills.list(host, 'id')])
  return [...builtin, ...custom.map((record) => ({ ...record, source: 'custom' as const }))].map(
    ({ id, name, description, source, enabled }) => ({ id, name, description, source, enabled }),
  )
}

/** The enabled skills that an agent lists by name, id or `*`. */
export async function skillsOf(host: Sql, listed: readonly string[]): Promise<SkillSummary[]> {
  if (listed.length === 0) return []
  const wanted = new Set(listed)
  return (await listSkills(host)).filter(
    ({ id, name, enabled }) =>
      enabled && (wanted.has('*') || wanted.has(name) || (id !== null && wanted.has(id))),
  )
}

export async function listBuiltinSkills(host: Sql): Promise<Skill[]> {
  const disabled = await disabledBuiltins(host)
  return builtinSkills.map((text) => ({
    ...text,
    id: null,
    source: 'builtin',
    enabled: !disabled.has(text.name),
  }))
}

/** Enables or disables a built-in skill; without `enabled` it is toggled. */
export const toggleBuiltinSkill = (context: Context, name: string, enabled?: boolean): Promise<Skill> =>
  againIfLost(() => toggleBuiltinOnce(context, name, enabled))

async function toggleBuiltinOnce(context: Context, name: string, enabled?: boolean): Promise<Skill> {
  const skill = (await listBuiltinSkills(context)).find((candidate) => candidate.name === name)
  if (!skill) throw notFound(`The skill ${name}`)
  const changed = { ...skill, enabled: enabled ?? !skill.enabled }
  await context.commit(
    [
      setBuiltinEnabled(name, {
        enabled: changed.enabled,
        before: skill.enabled,
        now: iso(context.clock.now()),
      }),
      auditStatement(context, { action: 'skill.toggled', target: name }),
    ],
    [{ type: 'skill.updated', data: { name, enabled: changed.enabled } }],
    { answer: changed },
  )
  return changed
}

export async function listCustomSkills(host: Sql, page: Page) {
  const { rows, total } = await customSkills.page(host, page, 'id')
  return { skills: await Promise.all(rows.map(toSkill)), total, ...page }
}

export const requireCustomSkill = async (context: Context, id: string): Promise<CustomSkill> =>
  toSkill(await requireRecord(context, id))

export async function addSkill(context: Context, { content, enabled }: NewSkill): Promise<CustomSkill> {
  const now = context.clock.now()
  const times = { created_at: iso(now), updated_at: iso(now) }
  const record = { id: newId('skill', now), ...(await headOf(content)), content, enabled, ...times }
  return store(context, 'created', customSkills.insert(record), record)
}

export const changeSkill = (context: Context, id: string, changes: SkillChanges): Promise<CustomSkill> =>
  againIfLost(async () => changeOnce(context, await requireRecord(context, id), changes))

async function changeOnce(context: Context, old: SkillRecord, changes: SkillChanges): Promise<CustomSkill> {
  const head = await headOf(changes.content ?? old.content)
  const named = await customSkills.find(context, { name: head.name })
  if (named && named.id !== old.id) throw conflict(nameTaken)
  const updated_at = laterThan(old.updated_at, context.clock.now())
  const record: SkillRecord = { ...old, ...changes, ...head, updated_at }
  const { id } = old
  const guard = 'The skill was changed by another request; try again'
  const statement = customSkills.update(record, { id, updated_at: old.updated_at }, guard)
  return store(context, 'updated', statement, record)
}

/** Without `enabled` it is toggled. */
export const toggleSkill = (context: Context, id: string, enabled?: boolean): Promise<CustomSkill> =>
  againIfLost(async () => {
    const old = await requireRecord(context, id)
    return changeOnce(context, old, { enabled: enabled ?? !old.enabled })
  })

export async function removeSkill(context: Context, id: string): Promise<void> {
  const record = await requireRecord(context, id)
  await store(context, 'deleted', customSkills.delete({ id }, 'The skill was already deleted'), record)
}

async function toSkill({ content, ...record }: SkillRecord): Promise<CustomSkill> {
  return { ...(await readSkill(content)), ...record, source: 'custom' }
}

const requireRecord = required('skill', (context, id) => customSkills.find(context, { id }))

/** Agents list skills by name and models call them by name, so names are unique. */
async function headOf(content: string): Promise<Pick<SkillRecord, 'name' | 'description'>> {
  const { name, description } = await readSkill(content)
  if (builtinSkills.some((builtin) => builtin.name === name))
    throw conflict(`${name} is the name of a built-in skill; choose another one`)
  return { name, description }
}

async function store(
  context: Context,
  what: 'created' | 'updated' | 'deleted',
  statement: Statement,
  record: SkillRecord,
): Promise<CustomSkill> {
  const { id, name, enabled } = record
  const answer = await toSkill(record)
  await context.commit(
    [statement, auditStatement(context, { action: `skill.${what}`, target: id })],
    [{ type: `skill.${what}`, data: { skill_id: id, name, enabled } }],
    { answer },
  )
  return answer
}
