import { z } from 'zod'
import { Agent } from '../tools/agent.ts'
import { ExecutionMode } from '../tools/modes.ts'

const config = Agent.shape

/** Everything but the name has a default. `is_default: true` replaces the current default agent. */
export const fields = {
  name: config.name,
  description: config.description.default(''),
  avatar: config.avatar.default(null),
  enabled: config.enabled.default(true),
  system_prompt: config.system_prompt.default(''),
  model: config.model.prefault({}),
  temperature: config.temperature.default(null),
  max_output_tokens: config.max_output_tokens.default(null),
  tools: config.tools.prefault({}),
  skills: config.skills.default(['*']),
  mcp_servers: config.mcp_servers.default([]),
  memory: config.memory.prefault({}),
  sandbox: config.sandbox.prefault({}),
  budget: config.budget.prefault({}),
  archetype: config.archetype.default(null),
  users: config.users.default(null),
  is_default: config.is_default.default(false),
}

/** The defaults of new agents are in the settings. */
export const state = { max_steps: config.max_steps, execution_mode: config.execution_mode }

export const sent = {
  max_steps: config.max_steps.optional().meta({
    description: 'A turn that needs more ends with an error. Default of a new agent: from the agent settings',
  }),
  execution_mode: config.execution_mode
    .optional()
    .meta({ description: 'Default of a new agent: from the security settings' }),
}

/** A subject-matter expert to start an agent from. */
export const Archetype = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  system_prompt: z.string(),
  execution_mode: ExecutionMode,
})
export type Archetype = z.infer<typeof Archetype>

export const AgentStats = z.object({
  agent_id: z.string(),
  conversations: z.int(),
  messages: z.int(),
  turns: z.int(),
  failed_turns: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  last_active_at: z.string().nullable(),
})
export type AgentStats = z.infer<typeof AgentStats>
