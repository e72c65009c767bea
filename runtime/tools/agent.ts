import { z } from 'zod'
import { type ReferenceKind, reference } from '../references.ts'
import { ExecutionMode } from './modes.ts'

export const ModelChoice = z.object({
  /** Null means the default provider, or the offline model if none is configured. */
  provider: reference('provider', 64).nullable().default(null),
  model: reference('vendor_model').nullable().default(null),
  fallbacks: z
    .array(z.object({ provider: reference('provider', 64), model: reference('vendor_model') }))
    .max(8)
    .default([]),
})
export type ModelChoice = z.infer<typeof ModelChoice>

const names = (kind: ReferenceKind) => z.array(reference(kind).min(1)).max(200)

const config = {
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2_000),
  avatar: z.string().max(200).nullable(),
  enabled: z.boolean(),
  system_prompt: z.string().max(32_768),
  model: ModelChoice,
  temperature: z.number().min(0).max(2).nullable(),
  max_output_tokens: z.number().int().min(1).max(1_000_000).nullable(),
  max_steps: z.number().int().min(1).max(500),
  tools: z.object({ allow: names('tool').default(['*']), deny: names('tool').default([]) }),
  /** Names or ids of skills; `*` is every one that is enabled. */
  skills: names('skill'),
  /** Names or ids of tool servers; `*` is every one that is enabled. */
  mcp_servers: names('tool_server'),
  memory: z.object({
    enabled: z.boolean().default(true),
    scope: z.enum(['own', 'shared']).default('own'),
    capture: z.boolean().default(true),
    recall_limit: z.number().int().min(0).max(50).default(5),
  }),
  /** Where it may run commands, always in a sandbox: nowhere, only where no person waits for its answer, or everywhere. */
  sandbox: z.object({ mode: z.enum(['off', 'unattended', 'all']).default('unattended') }),
  execution_mode: ExecutionMode,
  budget: z.object({
    run_usd: z.number().min(0).nullable().default(null),
    daily_usd: z.number().min(0).nullable().default(null),
  }),
  archetype: z.string().max(64).nullable(),
  /** Ids of the users who may choose it; null for everyone. */
  users: z.array(reference('user', 64).min(1)).max(200).nullable(),
}

export const Agent = z.object({
  id: z.string(),
  ...config,
  is_default: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Agent = z.infer<typeof Agent>
