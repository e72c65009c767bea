import { z } from 'zod'
import { auditStatement } from '../../auth/audit.ts'
import { collection } from '../../collection.ts'
import type { Context } from '../../context.ts'
import { conflict, notFound } from '../../fault.ts'
import { againIfLost } from '../../lost-race.ts'
import type { Sql } from '../../table.ts'
import { iso } from '../../time.ts'
import { builtinSkills } from './builtin.ts'
import { fields, parsed, readSkill, type Skill, type SkillSummary } from './schema.ts'
import { customSkills, disabledBuiltins, nameTaken, setBuiltinEnabled } from './store.ts'

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
  const selection = new Set(listed)
  return (await listSkills(host)).filter(
    ({ id, name, enabled }) =>
      enabled && (selection.has('*') || selection.has(name) || (id !== null && selection.has(id))),
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

/** The skills that people add. Agents list skills by name and models call them by name, so names are unique. */
export const skills = collection({
  noun: 'skill',
  prefix: 'skill',
  path: '/api/settings/skills/custom',
  items: 'skills',
  owner: 'shared',
  strict: true,
  summaries: {
    list: 'List the custom skills',
    create: 'Add a skill from its SKILL.md',
    show: 'Get a custom skill',
    update: 'Change a custom skill',
    remove: 'Delete a custom skill',
  },
  events: { type: 'skill', id: 'skill_id', data: ({ name, enabled }) => ({ name, enabled }) },
  order: 'id',
  table: { of: customSkills },
  fields,
  state: { name: z.string(), description: z.string() },
  derived: { ...parsed, source: z.literal('custom') },
  async derive(_, { content }) {
    const { license, compatibility, metadata, allowed_tools, body } = await readSkill(content)
    return { license, compatibility, metadata, allowed_tools, body, source: 'custom' as const }
  },
  async prepare(context, { next, before }) {
    const { name, description } = await readSkill(next.content)
    if (builtinSkills.some((builtin) => builtin.name === name))
      throw conflict(`${name} is the name of a built-in skill; choose another one`)
    const other = await customSkills.find(context, { name })
    if (other && other.id !== before?.id) throw conflict(nameTaken)
    return { name, description }
  },
})

/** Without `enabled` it is toggled. */
export const toggleSkill = (context: Context, id: string, enabled?: boolean) =>
  skills.change(context, id, (before) => ({ enabled: enabled ?? !before.enabled }))
