import { z } from 'zod'
import { importAgent, listAgents, NewAgent } from '../agents/index.ts'
import { auditStatement } from '../auth/audit.ts'
import { avatarPath } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { commitAsCaller } from '../events/commit.ts'
import { Fault } from '../fault.ts'
import { ProviderId } from '../models/vendors/index.ts'
import { BackupChange, changeBackup, changePrices, PriceChange } from '../providers/index.ts'
import { checkReferences, danglingReferences, referencesIn } from '../reference-check.ts'
import { mergeShape, subsetOf } from '../sections/merge.ts'
import { readSection, type Section, type ServedSection } from '../sections/section.ts'
import { readable } from '../validation.ts'
import { fileVersion, type SettingsFile } from './export.ts'
import { NewServer } from './mcp/schema.ts'
import { addToolServer } from './mcp/servers.ts'
import { toolServers } from './mcp/store.ts'
import { readSkill } from './skills/schema.ts'
import { skills } from './skills/skills.ts'
import { customSkills } from './skills/store.ts'

/** Bytes. */
export const importLimit = 5 * 1024 * 1024

export const ImportResult = z.object({
  dry_run: z.boolean(),
  /** What was or would be set, such as `sections.interface.density` or `agents.Gardener`. */
  applied: z.array(z.string()),
  skipped: z.array(z.object({ key: z.string(), reason: z.string() })),
  warnings: z.array(z.string()),
})
export type ImportResult = z.output<typeof ImportResult>

/** The steps of an import. */
class Plan {
  readonly steps: { keys: string[]; apply(): Promise<unknown> }[] = []
  readonly skipped: ImportResult['skipped'] = []
  readonly warnings: string[] = []

  skip(key: string, reason: string): void {
    this.skipped.push({ key, reason })
  }

  add(keys: string[], apply: () => Promise<unknown>): void {
    this.steps.push({ keys, apply })
  }
}

/**
 * Imports as much of a file as possible, and reports what it skipped and why. A dry run only reports. Keys
 * and passwords are never imported, and nothing is started.
 */
export async function importSettings(
  request: Context,
  file: SettingsFile,
  { sections, dry_run }: { sections: readonly ServedSection[]; dry_run: boolean },
): Promise<ImportResult> {
  // The answer to a part is not the answer to the request. An interrupted import can be repeated: it skips what exists.
  const context = { ...request, commit: commitAsCaller }
  const plan = new Plan()
  if (file.version > fileVersion)
    plan.warnings.push(
      `The file was written by a newer release (version ${file.version}, this one reads ${fileVersion}): unknown parts are skipped`,
    )
  await planSections(context, plan, sections, file)
  await planSkills(context, plan, file)
  await planAgents(context, plan, file)
  await planServers(context, plan, file)
  planProviders(context, plan, file)

  const applied: string[] = []
  for (const { keys, apply } of plan.steps) {
    const reason = dry_run ? null : await apply().then(() => null, messageOf)
    if (reason === null) applied.push(...keys)
    else for (const key of keys) plan.skip(key, reason)
  }
  const answer = { dry_run, applied, skipped: plan.skipped, warnings: plan.warnings }
  if (!dry_run) {
    const audit = auditStatement(context, { action: 'settings.imported', target: file.hearthd ?? '' })
    await request.commit([audit], [], { answer })
  }
  return answer
}

/** The message of a refusal; any other error is rethrown. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.message
  throw thrown
}

const firstIssue = ({ issues: [issue] }: z.ZodError) =>
  [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')

/** Each member is checked on its own, so that an invalid or unknown one does not affect the others. */
async function planSections(
  context: Context,
  plan: Plan,
  sections: readonly ServedSection[],
  file: SettingsFile,
): Promise<void> {
  for (const [name, values] of Object.entries(file.sections)) {
    const served = sections.find(({ section }) => section.name === name)
    if (!served) {
      plan.skip(`sections.${name}`, 'This release has no such section')
      continue
    }
    const { section, save } = served
    const current = await readSection(context, section)
    const change: Record<string, unknown> = {}
    for (const [member, value] of Object.entries(values)) {
      const reason = refusal(section, current, member, value) ?? (await dangling(context, section, { [member]: value }))
      if (reason === null) change[member] = value
      else plan.skip(`sections.${name}.${member}`, reason)
    }
    const keys = Object.keys(change).map((member) => `sections.${name}.${member}`)
    if (keys.length > 0) plan.add(keys, () => save(context, change))
    if (name === 'email' && change.host)
      plan.warnings.push('The password of the mail server is not in the file; enter it in Settings → Email')
    if (name === 'security' && change.default_execution_mode === 'autonomous')
      plan.warnings.push('New agents will act without asking')
  }
}

const secretMembers = new Set(['password', 'sealed_password', 'password_hint'])

/** Why a member cannot be imported; null if it can. */
function refusal({ schema }: Section, current: Record<string, unknown>, member: string, value: unknown): string | null {
  if (secretMembers.has(member)) return 'Secrets are not imported'
  if (!(member in schema.shape)) return 'This release has no such setting'
  if (member === 'avatar_url' && String(value).startsWith(avatarPath)) return 'The picture is not part of the file'
  const own = subsetOf(schema).safeParse({ [member]: value }, readable).error?.issues[0]
  if (own) return [own.path.slice(1).join('.'), own.message].filter(Boolean).join(': ')
  const whole = schema.safeParse(mergeShape(schema, current, { [member]: value }), readable)
  return whole.error?.issues[0]?.message ?? null
}

/** Why a member cannot be imported if it refers to nothing here; null if it can. */
async function dangling(
  context: Context,
  { schema }: Section,
  member: Record<string, unknown>,
): Promise<string | null> {
  const [issue] = await danglingReferences(context, referencesIn(schema, member))
  return issue ? `${issue.path.split('.').slice(1).join('.')} ${issue.message}`.trim() : null
}

const nameTaken = 'Another one has this name'

async function planSkills(context: Context, plan: Plan, file: SettingsFile): Promise<void> {
  const records = await customSkills.list(context, 'id')
  const taken = new Map(records.map(({ name, content }) => [name, content]))
  for (const [index, entry] of file.skills.entries()) {
    const parsed = skills.New.safeParse(entry, readable)
    if (!parsed.success) {
      plan.skip(`skills.${index}`, firstIssue(parsed.error))
      continue
    }
    const { content } = parsed.data
    const skill = await readSkill(content).catch(messageOf)
    if (typeof skill === 'string') plan.skip(`skills.${index}`, skill)
    else if (taken.get(skill.name) === content) plan.skip(`skills.${skill.name}`, 'It already exists')
    else if (taken.has(skill.name)) plan.skip(`skills.${skill.name}`, nameTaken)
    else plan.add([`skills.${skill.name}`], () => skills.add(context, parsed.data))
  }
}

const FileAgent = NewAgent.omit({ is_default: true })

/** Agents are imported without tool servers. */
async function planAgents(context: Context, plan: Plan, file: SettingsFile): Promise<void> {
  const taken = new Set((await listAgents(context)).map(({ name }) => name))
  for (const [index, entry] of file.agents.entries()) {
    const { data: agent, error } = FileAgent.safeParse(entry, readable)
    if (!agent) plan.skip(`agents.${index}`, firstIssue(error))
    else if (taken.has(agent.name)) plan.skip(`agents.${agent.name}`, nameTaken)
    else {
      const body = { format: 'hearthd.agent', version: 1, agent } as const
      plan.add([`agents.${agent.name}`], async () => {
        await checkReferences(context, FileAgent, { ...agent, mcp_servers: [], users: null })
        return importAgent(context, body)
      })
      if (agent.execution_mode === 'autonomous') plan.warnings.push(`${agent.name} acts without asking`)
    }
  }
}

const Names = z.array(z.string()).catch([])

/** Tool servers are imported disabled: a file never starts a process or opens a connection. */
async function planServers(context: Context, plan: Plan, file: SettingsFile): Promise<void> {
  const taken = new Set((await toolServers.list(context, 'id')).map(({ name }) => name))
  for (const [index, entry] of file.tool_servers.entries()) {
    const { env_names, header_names, env: _, headers: __, enabled: ___, trust: ____, ...rest } = entry
    const { data: server, error } = NewServer.safeParse(rest, readable)
    if (!server) plan.skip(`tool_servers.${index}`, firstIssue(error))
    else if (taken.has(server.name)) plan.skip(`tool_servers.${server.name}`, nameTaken)
    else {
      plan.add([`tool_servers.${server.name}`], () => addToolServer(context, server))
      const needed = [...Names.parse(env_names), ...Names.parse(header_names)].join(', ')
      const values = needed && `enter ${needed} and `
      plan.warnings.push(`${server.name} arrives disabled; ${values}connect it in Settings → Tool servers`)
    }
  }
}

/** The backup rules and the prices that people set. */
function planProviders(context: Context, plan: Plan, file: SettingsFile): void {
  if (file.provider_backup) {
    const { data: change, error } = BackupChange.safeParse(file.provider_backup, readable)
    if (change) plan.add(['provider_backup'], () => changeBackup(context, change))
    else plan.skip('provider_backup', firstIssue(error))
  }
  for (const [provider, prices] of Object.entries(file.prices)) {
    const { data: id } = ProviderId.safeParse(provider)
    const { data: change, error } = PriceChange.safeParse({ prices }, readable)
    const key = `prices.${provider}`
    if (!id) plan.skip(key, 'This release has no such provider')
    else if (!change) plan.skip(key, firstIssue(error))
    else plan.add([key], () => changePrices(context, id, change))
  }
}
