import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import { mergeShape, subsetOf } from '../merge.ts'
import { avatarPath } from '../profile.ts'
import { changeSection, readSection, type Section } from '../section.ts'
import { sections } from '../sections.ts'
import { readSecurity } from '../security.ts'
import type { Plan, SettingsFile } from './file.ts'

/** Members that a file never sets. */
const secrets = new Set(['password', 'sealed_password', 'password_hint'])

/** Each member is checked alone, so that one of a newer release or a wrong one is left out and the rest is taken. */
export async function planSections(context: Context, file: SettingsFile): Promise<Plan> {
  const plan: Plan = { steps: [], skipped: [], warnings: [] }
  for (const [name, values] of Object.entries(file.sections)) {
    const section = sections.find((candidate) => candidate.name === name)
    if (section) await planSection(context, plan, { section, values })
    else plan.skipped.push({ key: `sections.${name}`, reason: 'This release has no such section' })
  }
  return plan
}

interface Given {
  section: Section
  values: Record<string, unknown>
}

async function planSection(context: Context, plan: Plan, { section, values }: Given): Promise<void> {
  const change: Record<string, unknown> = {}
  const whole = await readSection(context, section)
  for (const [member, value] of Object.entries(values)) {
    const reason = refusal(section, { member, value, whole })
    if (reason === null) change[member] = value
    else plan.skipped.push({ key: `sections.${section.name}.${member}`, reason })
  }
  if (Object.keys(change).length === 0) return
  const keys = Object.keys(change).map((member) => `sections.${section.name}.${member}`)
  const apply = async () => {
    await changeSection(context, section, change)
    await readSecurity(context)
  }
  plan.steps.push({ keys, apply })
  warn(plan, section, change)
}

interface Member {
  member: string
  value: unknown
  whole: Record<string, unknown>
}

function refusal(section: Section, { member, value, whole }: Member): string | null {
  if (secrets.has(member)) return 'Secrets are not imported'
  if (!(member in section.schema.shape)) return 'This release has no such setting'
  if (member === 'avatar_url' && typeof value === 'string' && value.startsWith(avatarPath))
    return 'The picture is not part of the file'
  const alone = subsetOf(section.schema).safeParse({ [member]: value })
  const issue = alone.error?.issues[0]
  if (issue) return [issue.path.slice(1).join('.'), issue.message].filter(Boolean).join(': ')
  const together = section.schema.safeParse(mergeShape(section.schema, whole, { [member]: value }))
  return together.error?.issues[0]?.message ?? null
}

function warn(plan: Plan, { name }: Section, change: Record<string, unknown>): void {
  if (name === 'email' && typeof change.host === 'string' && change.host !== '')
    plan.warnings.push('The password of the mail server is not in the file; type it in Settings → Email')
  if (name === 'security' && change.default_execution_mode === 'autonomous')
    plan.warnings.push('New agents will act without asking')
}

/** The words of a refusal; anything else is thrown on. */
export function wordsOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.message
  throw thrown
}
