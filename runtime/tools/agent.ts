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
  name: z.string().trim().min(1).max(100).meta({ title: 'Name' }),
  description: z.string().max(2_000).meta({
    title: 'Description',
    description: 'What this agent is good at; shown only to you',
    format: 'line',
  }),
  avatar: z
    .string()
    .max(200)
    .nullable()
    .meta({
      title: 'Symbol',
      description: 'One emoji or two letters. Leave blank for the initials',
      format: 'line',
      labels: { null: '' },
    }),
  enabled: z.boolean().meta({
    title: 'Enabled',
    description: 'A disabled agent does not start any work',
  }),
  system_prompt: z.string().max(32_768).meta({
    title: 'Instructions',
    description: 'Its role and how it works. Sent at the start of every conversation',
    format: 'multiline',
  }),
  model: ModelChoice.meta({ title: 'Model' }),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .meta({ title: 'Temperature', description: 'Leave blank for the model’s default', step: 0.1 }),
  max_output_tokens: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .meta({ title: 'Answer limit', description: 'Leave blank for the model’s default', unit: 'tokens' }),
  max_steps: z.int().min(1).max(500).meta({
    title: 'Steps per turn',
    description: 'A turn that needs more ends with an error',
  }),
  tools: z
    .object({
      allow: names('tool').default(['*']).meta({
        title: 'Allowed tools',
        description: 'Names; a trailing * matches any ending, and * alone matches everything',
      }),
      deny: names('tool').default([]).meta({ title: 'Denied tools', description: 'Overrides what is allowed' }),
    })
    .meta({ title: 'Tools' }),
  /** Names or ids of skills; `*` is every one that is enabled. */
  skills: names('skill').meta({ title: 'Skills', description: 'From the skills in the settings' }),
  /** Names or ids of tool servers; `*` is every one that is enabled. */
  mcp_servers: names('tool_server').meta({
    title: 'Tool servers (MCP)',
    description: 'From the tool servers in the settings',
  }),
  memory: z.object({
    enabled: z.boolean().default(true).meta({ title: 'Recall', description: 'Searches its memory before it answers' }),
    scope: z
      .enum(['own', 'shared'])
      .default('own')
      .meta({
        title: 'Memory scope',
        labels: { own: 'Own', shared: 'Shared' },
        hints: {
          own: 'Only the memories that it captured',
          shared: 'The memories of all agents that share theirs',
        },
      }),
    capture: z.boolean().default(true).meta({ title: 'Capture', description: 'Stores the facts of each conversation' }),
    recall_limit: z
      .int()
      .min(0)
      .max(50)
      .default(5)
      .meta({ title: 'Memories per answer', description: 'Maximum number that it recalls' }),
  }),
  /** Where it may run commands, always in a sandbox: nowhere, only where no person waits for its answer, or everywhere. */
  sandbox: z.object({
    mode: z
      .enum(['off', 'unattended', 'all'])
      .default('unattended')
      .meta({
        title: 'Runs commands',
        description: 'Always in a container of its own, never on this machine',
        labels: { off: 'Never', unattended: 'Unattended', all: 'Everywhere' },
        hints: {
          off: 'The agent does not get the shell tool',
          unattended: 'In jobs, projects and other runs without a person present',
          all: 'Also in chats, where the agent asks for approval according to its execution mode',
        },
      }),
  }),
  execution_mode: ExecutionMode.meta({ title: 'What it may do without asking' }),
  budget: z.object({
    run_usd: z
      .number()
      .min(0)
      .nullable()
      .default(null)
      .meta({ title: 'Budget per run in USD', unit: 'USD', labels: { null: 'No limit' } }),
    daily_usd: z
      .number()
      .min(0)
      .nullable()
      .default(null)
      .meta({ title: 'Budget per day in USD', unit: 'USD', labels: { null: 'No limit' } }),
  }),
  archetype: z.string().max(64).nullable().meta({ title: 'Archetype' }),
  /** Ids of the users who may choose it; null for everyone. */
  users: z
    .array(reference('user', 64).min(1))
    .max(200)
    .nullable()
    .meta({ title: 'Users', description: 'Who may choose this agent. Leave blank for everyone' }),
}

export const Agent = z.object({
  id: z.string(),
  ...config,
  is_default: z.boolean().meta({ title: 'Default agent' }),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Agent = z.infer<typeof Agent>
