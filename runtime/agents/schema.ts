import { z } from 'zod'
import { Agent } from '../tools/agent.ts'
import { ExecutionMode } from '../tools/modes.ts'

const config = Agent.omit({ id: true, is_default: true, created_at: true, updated_at: true }).shape

/** Everything but the name has a default. `is_default: true` replaces the current default agent. */
export const NewAgent = z.object({
  name: config.name,
  description: config.description.default(''),
  avatar: config.avatar.default(null),
  enabled: config.enabled.default(true),
  system_prompt: config.system_prompt.default(''),
  model: config.model.prefault({}),
  temperature: config.temperature.default(null),
  max_output_tokens: config.max_output_tokens.default(null),
  max_steps: config.max_steps.optional().meta({ description: 'Default: from the agent settings' }),
  tools: config.tools.prefault({}),
  skills: config.skills.default(['*']),
  mcp_servers: config.mcp_servers.default([]),
  memory: config.memory.prefault({}),
  sandbox: config.sandbox.prefault({}),
  execution_mode: config.execution_mode
    .optional()
    .meta({ description: 'Default: from the security settings' }),
  budget: config.budget.prefault({}),
  archetype: config.archetype.default(null),
  users: config.users.default(null),
  is_default: z.boolean().default(false),
})
export type NewAgent = z.output<typeof NewAgent>

export const AgentChanges = z.object({ ...config, is_default: z.boolean() }).partial()
export type AgentChanges = z.infer<typeof AgentChanges>

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
  conversations: z.number().int(),
  messages: z.number().int(),
  turns: z.number().int(),
  failed_turns: z.number().int(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cost_usd: z.number(),
  last_active_at: z.string().nullable(),
})
export type AgentStats = z.infer<typeof AgentStats>
