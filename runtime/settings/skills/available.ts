import type { Host } from '../../host.ts'
import { listBuiltinSkills } from './builtin.ts'
import type { SkillSummary } from './schema.ts'
import { listSkillRecords } from './store.ts'

/** Every skill without its instructions: the built-in ones first, then the person's own, oldest first. */
export async function listSkills(host: Pick<Host, 'sql'>): Promise<SkillSummary[]> {
  const [builtin, custom] = await Promise.all([listBuiltinSkills(host), listSkillRecords(host)])
  return [...builtin, ...custom.map((record) => ({ ...record, source: 'custom' as const }))].map(
    ({ id, name, description, source, enabled }) => ({ id, name, description, source, enabled }),
  )
}

/** What an agent may use: enabled, and listed by name, id or `*`. */
export async function skillsOf(host: Pick<Host, 'sql'>, listed: readonly string[]): Promise<SkillSummary[]> {
  if (listed.length === 0) return []
  const wanted = new Set(listed)
  const all = wanted.has('*')
  return (await listSkills(host)).filter(
    ({ id, name, enabled }) => enabled && (all || wanted.has(name) || (id !== null && wanted.has(id))),
  )
}
