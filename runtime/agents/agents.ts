import { z } from 'zod'
import { anyone, everyUser, nobody, visibleOwner } from '../auth/owner.ts'
import { readSecurity } from '../auth/security.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { conflict, invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Condition } from '../ports/sql.ts'
import { reference } from '../references.ts'
import { readSection } from '../sections/section.ts'
import type { Reader } from '../table.ts'
import type { Agent } from '../tools/agent.ts'
import { findArchetype } from './archetypes.ts'
import { fields, sent, state } from './schema.ts'
import { agentSettings } from './settings.ts'
import { agentTable, clearDefaultAgent, findAgent, findDefaultAgent, listAgents, usableBy } from './store.ts'

/** Whether the caller may choose an agent: it may be limited to named users. */
export function canUse(context: Pick<Context, 'caller'>, { users }: Agent): boolean {
  const owner = visibleOwner(context)
  return users === null || owner === undefined || owner === nobody || users.includes(owner)
}

/** Administrators also see the agents that they may not use. */
function visible(context: Pick<Context, 'caller'>): Condition {
  const owner = visibleOwner(context)
  const isLimited = context.caller.role === 'user' && owner !== undefined && owner !== nobody
  return isLimited ? usableBy(owner) : anyone
}

export const visibleAgents = (context: Reader): Promise<Agent[]> => listAgents(context, visible(context))

/** Agents are shared, but each may be limited to some users. */
export const agents = collection({
  noun: 'agent',
  prefix: 'agent',
  path: '/api/agents',
  items: 'agents',
  owner: 'shared',
  summaries: { list: 'List agents, the default first' },
  events: { type: 'agent', id: 'agent_id', audit: false },
  order: 'is_default DESC, id',
  table: { of: agentTable, guard: ['is_default'] },
  visible,
  fields,
  sent,
  state,
  async prepare(context, { next, before, sent }) {
    const archetype = next.archetype === before?.archetype ? undefined : knownArchetype(next.archetype)
    if (before !== null) checkDefault(next, before)
    checkUsers(next)
    const { max_steps, execution_mode } = before ?? (await settingsDefaults(context, sent))
    return {
      max_steps: sent.max_steps ?? max_steps,
      execution_mode: sent.execution_mode ?? execution_mode,
      ...(before === null && { system_prompt: next.system_prompt || archetype?.system_prompt || '' }),
    }
  },
  also: (_, next, before) => ({
    first: next.is_default && !before?.is_default ? [clearDefaultAgent()] : [],
    statements: [],
  }),
  removal({ areas }, { id, is_default }) {
    if (is_default) throw conflict('The default agent cannot be deleted; make another one the default first')
    return areas.flatMap(({ removed }) => removed?.agent?.(id) ?? [])
  },
})

export const { add: addAgent, edit: changeAgent, require: requireAgent } = agents
export const NewAgent = agents.New

/** The agent that a field of a request names, or a 422. */
export async function namedAgent(context: Reader, id: string, field: string): Promise<Agent> {
  const agent = await findAgent(context, id)
  if (!agent || !canUse(context, agent)) throw invalidField(field, 'is not the id of an agent')
  return agent
}

/** The same for an agent that is to work. */
export async function namedEnabledAgent(context: Reader, id: string, field: string): Promise<Agent> {
  const agent = await namedAgent(context, id, field)
  if (!agent.enabled) throw invalidField(field, `${agent.name} is disabled`)
  return agent
}

/** The agent that answers if none is named. It is created at the first start and cannot be deleted. */
export async function requireDefaultAgent(host: Pick<Host, 'sql'>): Promise<Agent> {
  const agent = await findDefaultAgent(host)
  if (!agent) throw new Error('there is always a default agent')
  return agent
}

function knownArchetype(id: string | null) {
  const archetype = id === null ? undefined : findArchetype(id)
  if (id !== null && !archetype) throw invalidField('archetype', 'is not a known archetype')
  return archetype
}

/** The agent that works on a project, task or loop; null for the default. Throws a `Fault` that says why there is none. */
export async function workingAgent(host: Pick<Host, 'sql'>, id: string | null): Promise<Agent> {
  if (id === null) return requireDefaultAgent(host)
  const agent = await findAgent(host, id)
  if (!agent) throw conflict('Its agent was deleted; choose another')
  if (!agent.enabled) throw conflict(`Its agent ${agent.name} is disabled; enable it, or choose another`)
  return agent
}

/** The default agent answers everyone who names none. */
function checkUsers({ users, is_default }: Pick<Agent, 'users' | 'is_default'>): void {
  if (users && is_default) throw invalidField('users', 'must be null: the default agent is for everyone')
  if (users?.includes(everyUser)) throw invalidField('users', 'must be null for everyone')
}

/** What comes from the settings unless it is given. */
async function settingsDefaults(
  context: Context,
  { max_steps, execution_mode }: Partial<Pick<Agent, 'max_steps' | 'execution_mode'>>,
) {
  return {
    max_steps: max_steps ?? (await readSection(context, agentSettings)).max_steps,
    execution_mode: execution_mode ?? (await readSecurity(context)).default_execution_mode,
  }
}

function checkDefault(next: Pick<Agent, 'is_default' | 'enabled'>, before: Pick<Agent, 'is_default'>): void {
  if (before.is_default && !next.is_default)
    throw conflict('One agent must be the default; make another one the default instead')
  if (next.is_default && !next.enabled) throw conflict('The default agent cannot be disabled')
}

/** A copy under a new name, never the default. */
export async function copyAgent(context: Context, id: string): Promise<Agent> {
  const original = await requireAgent(context, id)
  const name = freeName(
    original.name,
    (await listAgents(context)).map((agent) => agent.name),
  )
  return addAgent(context, { ...original, name, is_default: false })
}

function freeName(name: string, taken: string[]): string {
  const base = `${name.slice(0, 85)} (copy`
  if (!taken.includes(`${base})`)) return `${base})`
  for (let number = 2; ; number += 1) {
    if (!taken.includes(`${base} ${number})`)) return `${base} ${number})`
  }
}

/** Creates the default agent in a new database. */
export async function ensureDefaultAgent(context: Context): Promise<void> {
  if (await findDefaultAgent(context)) return
  const body = {
    name: 'Hearth',
    description: 'The agent that answers when none is named.',
    archetype: 'assistant',
  }
  await addAgent(context, NewAgent.parse({ ...body, is_default: true }))
}

/** An agent as a file that another hearthd can import. It contains no secret and no id. */
export const AgentFile = z.object({
  format: z.literal('hearthd.agent'),
  version: z.literal(1),
  /** Its tool servers are not connected here, so their names refer to nothing. */
  agent: NewAgent.omit({ is_default: true, users: true }).extend({
    mcp_servers: z.array(reference('elsewhere').min(1)).max(200).default([]),
  }),
})
export type AgentFile = z.output<typeof AgentFile>

export const exportAgent = ({ process }: Pick<Host, 'process'>, agent: Agent): AgentFile => ({
  format: 'hearthd.agent',
  version: 1,
  agent: process.redaction.value(AgentFile.shape.agent.parse(agent)),
})

/** Imports an agent without its tool servers: a file must not connect this machine to anything. */
export const importAgent = (context: Context, file: AgentFile): Promise<Agent> =>
  addAgent(context, { ...file.agent, mcp_servers: [], users: null, is_default: false })

/** The agent that answers in a conversation, or why there is none and what a person can do about it. */
export async function answeringAgent(
  context: Reader,
  { agent_id }: { agent_id: string | null },
): Promise<{ ok: true; agent: Agent } | { ok: false; reason: string }> {
  const agent = agent_id === null ? await requireDefaultAgent(context) : await findAgent(context, agent_id)
  if (!agent)
    return {
      ok: false,
      reason: 'The agent of this conversation was deleted; choose another agent for the conversation',
    }
  if (!canUse(context, agent))
    return {
      ok: false,
      reason: `The agent ${agent.name} is for other users; choose another agent for the conversation`,
    }
  if (!agent.enabled)
    return {
      ok: false,
      reason: `The agent ${agent.name} is disabled; enable it, or choose another agent for the conversation`,
    }
  return { ok: true, agent }
}

/** 409 if no agent would answer, so that the message is not stored. */
export async function requireAnsweringAgent(context: Reader, conversation: { agent_id: string | null }): Promise<void> {
  const agent = await answeringAgent(context, conversation)
  if (!agent.ok) throw conflict(agent.reason)
}
