import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { iso } from '../../time.ts'
import { builtinTexts } from './builtin/index.ts'
import { readSkill, type SkillText } from './format.ts'
import type { Skill } from './schema.ts'
import { switchBuiltin, switchedOff } from './store.ts'

let read: Promise<SkillText[]> | undefined

/** The texts never change, so they are read once, when the first is asked for. */
export function builtinSkills(): Promise<SkillText[]> {
  read ??= Promise.all(builtinTexts.map(readSkill))
  return read
}

const toSkill = (text: SkillText, enabled: boolean): Skill => ({
  ...text,
  id: null,
  source: 'builtin',
  enabled,
})

export async function listBuiltinSkills(host: Pick<Host, 'sql'>): Promise<Skill[]> {
  const [texts, off] = await Promise.all([builtinSkills(), switchedOff(host)])
  return texts.map((text) => toSkill(text, !off.has(text.name)))
}

/** Switches a built-in skill on or off; without `enabled` it is turned round. */
export async function toggleBuiltinSkill(context: Context, name: string, enabled?: boolean): Promise<Skill> {
  const skill = (await listBuiltinSkills(context)).find((candidate) => candidate.name === name)
  if (!skill) throw notFound(`The skill ${name}`)
  const changed = { ...skill, enabled: enabled ?? !skill.enabled }
  await context.commit(
    [
      switchBuiltin(name, changed.enabled, iso(context.clock.now())),
      auditStatement(context, { action: 'skill.toggled', target: name }),
    ],
    [{ type: 'skill.updated', data: { name, enabled: changed.enabled } }],
  )
  return changed
}
