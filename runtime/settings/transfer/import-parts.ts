import { z } from 'zod'
import { importAgent } from '../../agents/agents.ts'
import { NewAgent } from '../../agents/schema.ts'
import { listAgents } from '../../agents/store.ts'
import type { Context } from '../../context.ts'
import { changeBackup } from '../../providers/limits.ts'
import { changePrices } from '../../providers/providers.ts'
import { BackupChange, PriceChange, ProviderId } from '../../providers/schema.ts'
import { NewServer } from '../mcp/schema.ts'
import { addToolServer } from '../mcp/servers.ts'
import { listServers } from '../mcp/store.ts'
import { addSkill } from '../skills/custom.ts'
import { readSkill } from '../skills/format.ts'
import { NewSkill } from '../skills/schema.ts'
import { listSkillRecords } from '../skills/store.ts'
import type { Plan, SettingsFile } from './file.ts'
import { wordsOf } from './import-sections.ts'

const everything = { limit: 2_000, offset: 0 }
const emptyPlan = (): Plan => ({ steps: [], skipped: [], warnings: [] })
const firstIssue = ({ issues: [issue] }: z.ZodError) =>
  [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')

/** Skills whose name is free. */
export async function planSkills(context: Context, file: SettingsFile): Promise<Plan> {
  const plan = emptyPlan()
  const taken = new Map(
    (await listSkillRecords(context, everything)).map(({ name, content }) => [name, content]),
  )
  for (const [index, entry] of file.skills.entries()) {
    const skill = NewSkill.safeParse(entry)
    const head = skill.success && (await readSkill(skill.data.content).catch(wordsOf))
    const key = typeof head === 'object' ? `skills.${head.name}` : `skills.${index}`
    if (!skill.success) plan.skipped.push({ key, reason: firstIssue(skill.error) })
    else if (typeof head === 'string') plan.skipped.push({ key, reason: head })
    else if (head && taken.has(head.name))
      plan.skipped.push({
        key,
        reason: taken.get(head.name) === skill.data.content ? 'It is here already' : nameTaken,
      })
    else plan.steps.push({ keys: [key], apply: () => addSkill(context, skill.data) })
  }
  return plan
}

const nameTaken = 'There is another of this name'
const FileAgent = NewAgent.omit({ is_default: true })

/** Agents whose name is free, without tool servers. */
export async function planAgents(context: Context, file: SettingsFile): Promise<Plan> {
  const plan = emptyPlan()
  const taken = new Set((await listAgents(context)).map(({ name }) => name))
  for (const [index, entry] of file.agents.entries()) {
    const agent = FileAgent.safeParse(entry)
    const key = `agents.${agent.success ? agent.data.name : index}`
    if (!agent.success) plan.skipped.push({ key, reason: firstIssue(agent.error) })
    else if (taken.has(agent.data.name)) plan.skipped.push({ key, reason: nameTaken })
    else {
      const body = { format: 'hearthd.agent', version: 1, agent: agent.data } as const
      plan.steps.push({ keys: [key], apply: () => importAgent(context, body) })
      if (agent.data.execution_mode === 'autonomous')
        plan.warnings.push(`${agent.data.name} acts without asking`)
    }
  }
  return plan
}

const Names = z.object({
  env_names: z.array(z.string()).default([]),
  header_names: z.array(z.string()).default([]),
})

/** Tool servers, switched off: a file never starts a process and never connects this machine to anything. */
export async function planServers(context: Context, file: SettingsFile): Promise<Plan> {
  const plan = emptyPlan()
  const taken = new Set((await listServers(context, everything)).map(({ name }) => name))
  for (const [
    index,
    { env_names, header_names, env: _, headers: __, enabled: ___, ...entry },
  ] of file.tool_servers.entries()) {
    const server = NewServer.safeParse(entry)
    const key = `tool_servers.${server.success ? server.data.name : index}`
    if (!server.success) plan.skipped.push({ key, reason: firstIssue(server.error) })
    else if (taken.has(server.data.name)) plan.skipped.push({ key, reason: nameTaken })
    else {
      plan.steps.push({ keys: [key], apply: () => addToolServer(context, server.data) })
      const names = Names.safeParse({ env_names, header_names }).data
      const needed = [...(names?.env_names ?? []), ...(names?.header_names ?? [])]
      const values = needed.length > 0 ? `give it ${needed.join(', ')} and ` : ''
      plan.warnings.push(
        `${server.data.name} arrives switched off; ${values}connect it in Settings → Tool servers`,
      )
    }
  }
  return plan
}

/** The rules of failover and the prices that people set. */
export async function planProviders(context: Context, file: SettingsFile): Promise<Plan> {
  const plan = emptyPlan()
  if (file.provider_backup) {
    const change = BackupChange.safeParse(file.provider_backup)
    if (change.success)
      plan.steps.push({ keys: ['provider_backup'], apply: () => changeBackup(context, change.data) })
    else plan.skipped.push({ key: 'provider_backup', reason: firstIssue(change.error) })
  }
  for (const [provider, prices] of Object.entries(file.prices)) {
    const id = ProviderId.safeParse(provider)
    const change = PriceChange.safeParse({ prices })
    const key = `prices.${provider}`
    if (!id.success) plan.skipped.push({ key, reason: 'This release has no such provider' })
    else if (!change.success) plan.skipped.push({ key, reason: firstIssue(change.error) })
    else plan.steps.push({ keys: [key], apply: () => changePrices(context, id.data, change.data) })
  }
  return plan
}
