import { z } from 'zod'
import { ProviderId } from '../models/vendors/index.ts'
import { referenceBy } from '../references.ts'
import { Category, type Spender } from './spender.ts'

/** The expected or real cost of a call. */
export interface Cost {
  input_tokens: number
  output_tokens: number
  cost_usd: number
}

/** A call in the ledger that was sent and is not settled. */
export interface OpenCall {
  /** The user on whose behalf it is made. */
  owner_id: string
  id: string
  at: number
  provider: string
  model: string
  spender: Spender
  run_ref: string
}

/** How a call ended; `cancelled` by a person, the daemon's shutdown or the kill switch. */
export interface CallEnd extends Cost {
  /** Input that the vendor read from its cache. */
  cached_tokens: number
  status: 'succeeded' | 'failed' | 'cancelled'
  /** The vendor sent no token counts, or the answer broke off before them. */
  estimated: boolean
  error: string | null
}

const tokens = z.int()

/** A call as its owner sees it; `reserved` is running, `released` was lost in a crash. */
export const ModelCallRow = z.object({
  id: z.string(),
  at: z.string(),
  status: z.enum(['reserved', 'released', 'succeeded', 'failed', 'cancelled']),
  category: Category,
  provider: z.string(),
  model: z.string(),
  agent_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  job_id: z.string().nullable(),
  loop_id: z.string().nullable(),
  project_id: z.string().nullable(),
  input_tokens: tokens,
  cached_tokens: tokens.meta({ description: 'Part of the input tokens' }),
  output_tokens: tokens,
  cost_usd: z.number(),
  estimated: z.boolean(),
  error: z.string().nullable(),
  has_request: z.boolean().meta({ description: 'Whether what was sent is kept' }),
})
export type ModelCallRow = z.output<typeof ModelCallRow>

export const ScopeKind = z.enum(['global', 'agent', 'job', 'loop', 'project', 'conversation', 'provider'])
export type ScopeKind = z.output<typeof ScopeKind>

export const BudgetScope = z
  .object({
    kind: ScopeKind,
    id: referenceBy('kind', {
      agent: 'agent',
      conversation: 'conversation',
      job: 'job',
      loop: 'loop',
      project: 'project',
      provider: 'provider',
    })
      .nullable()
      .default(null),
  })
  .superRefine(({ kind, id }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['id'], message })
    if (kind === 'global' && id !== null) refuse('a global budget has no id')
    if (kind !== 'global' && id === null) refuse(`names the ${kind}`)
    if (kind === 'provider' && id !== null && !ProviderId.safeParse(id).success)
      refuse(`must be one of ${ProviderId.options.join(', ')}`)
  })
export type BudgetScope = z.output<typeof BudgetScope>

/** `run` is one turn, job run or loop iteration; `total` never resets. Days are those of the profile's zone. */
export const BudgetWindow = z.enum(['run', 'day', 'week', 'month', 'total'])
export type BudgetWindow = z.output<typeof BudgetWindow>

/**
 * `warn` only notifies; `block` refuses calls until the window resets; `pause` refuses them until a person sets `paused`
 * to false.
 */
export const BudgetAction = z.enum(['warn', 'pause', 'block'])

const members = {
  scope: BudgetScope.meta({ title: 'Applies to' }),
  window: BudgetWindow.meta({
    title: 'Period',
    labels: {
      run: 'Each run',
      day: 'Each day',
      week: 'Each week',
      month: 'Each month',
      total: 'Lifetime total',
    },
  }),
  limit_usd: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .nullable()
    .meta({ title: 'US dollars', labels: { null: 'No limit' }, unit: 'USD' }),
  limit_tokens: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .meta({ title: 'Tokens', labels: { null: 'No limit' }, format: 'count' }),
  warn_pct: z
    .array(z.number().gt(0).lt(100))
    .max(10)
    .meta({ title: 'Warn at', labels: { null: 'Never' }, unit: '%' }),
  action: BudgetAction.meta({
    title: 'At the limit',
    labels: { warn: 'Warn only', block: 'Block calls', pause: 'Pause calls' },
    hints: {
      warn: 'Calls continue',
      block: 'Until the period resets',
      pause: 'Until a person resumes them',
    },
  }),
}

export const Spent = z.object({ usd: z.number(), tokens: z.int() })
export type Spent = z.output<typeof Spent>

export const Budget = z.object({
  id: z.string(),
  ...members,
  paused: z.boolean(),
  /** Includes the reservations of running calls. For a `run` budget, the use of its latest run. */
  used: Spent,
  used_pct: z.number(),
  resets_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Budget = z.output<typeof Budget>

const limited = (budget: { limit_usd?: number | null; limit_tokens?: number | null }) =>
  (budget.limit_usd ?? null) !== null || (budget.limit_tokens ?? null) !== null

export const NewBudget = z
  .object({
    ...members,
    limit_usd: members.limit_usd.default(null),
    limit_tokens: members.limit_tokens.default(null),
    warn_pct: members.warn_pct.default([80]),
    action: members.action.default('block'),
  })
  .refine(limited, { path: ['limit_usd'], message: 'give limit_usd or limit_tokens' })
export type NewBudget = z.output<typeof NewBudget>

export const BudgetChange = z.object({ ...members, paused: z.boolean() }).partial()
export type BudgetChange = z.output<typeof BudgetChange>

/** A budget without its use, which is computed from the ledger. */
export const StoredBudget = Budget.omit({ used: true, used_pct: true, resets_at: true }).refine(limited, {
  path: ['limit_usd'],
  message: 'a budget needs limit_usd or limit_tokens',
})
export type StoredBudget = z.output<typeof StoredBudget>
