import { z } from 'zod'
import { HookAction } from './action-schema.ts'
import { EventPattern } from './schema.ts'

const Name = z.string().trim().min(1).max(200)
const Patterns = z.array(EventPattern).min(1).max(50)
const Filter = z.string().max(10_000)

const fields = {
  name: Name,
  enabled: z.boolean().default(true),
  events: Patterns,
  /** A JSONata expression over `type`, `ts` and `data`; only events for which it is true match. */
  filter: Filter.default(''),
  action: HookAction,
  /** The hook decides about the event before it happens: `tool.before` and `message.received` only. */
  blocking: z.boolean().default(false),
  timeout_seconds: z.number().int().min(1).max(120).default(30),
  /** Blocking hooks with a lower number decide first. */
  priority: z.number().int().min(0).max(1_000).default(100),
  /** Whether a blocking hook that fails allows (`open`) or denies (`closed`). */
  fail_mode: z.enum(['open', 'closed']).default('closed'),
}

export const NewHook = z.object(fields)
export type NewHook = z.output<typeof NewHook>

export const HookChanges = z.object({
  name: Name.optional(),
  enabled: z.boolean().optional(),
  events: Patterns.optional(),
  filter: Filter.optional(),
  action: HookAction.optional(),
  blocking: z.boolean().optional(),
  timeout_seconds: z.number().int().min(1).max(120).optional(),
  priority: z.number().int().min(0).max(1_000).optional(),
  fail_mode: z.enum(['open', 'closed']).optional(),
})
export type HookChanges = z.output<typeof HookChanges>

export const Hook = z.object({
  id: z.string(),
  owner_id: z.string(),
  ...NewHook.shape,
  enabled: z.boolean(),
  filter: z.string(),
  blocking: z.boolean(),
  timeout_seconds: z.number().int(),
  priority: z.number().int(),
  fail_mode: z.enum(['open', 'closed']),
  runs: z.number().int(),
  failed: z.number().int(),
  last_run_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Hook = z.output<typeof Hook>

export const Decision = z.enum(['allow', 'deny', 'ask'])

/** `skipped`: too many hooks and workflows triggered each other before the event, or the hook was disabled. */
export const HookRunStatus = z.enum(['pending', 'succeeded', 'failed', 'skipped'])
export type HookRunStatus = z.output<typeof HookRunStatus>

export const HookRun = z.object({
  id: z.string(),
  hook_id: z.string(),
  event_type: z.string(),
  status: HookRunStatus,
  decision: Decision.nullable(),
  /** Ids of the started objects, or the response. */
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
})
export type HookRun = z.output<typeof HookRun>

const Happened = z.object({ type: z.string(), ts: z.string(), data: z.unknown() })

export const HookRunDetails = HookRun.extend({ event: Happened })
export type HookRunDetails = z.output<typeof HookRunDetails>

export const HookTest = z.object({
  /** Default: the first type of the hook. */
  type: z.string().max(100).optional(),
  data: z.record(z.string(), z.unknown()).default({}),
})

export const HookTested = z.object({
  /** Whether the types and the filter of the hook match. */
  matches: z.boolean(),
  /** The action with its templates rendered. */
  action: z.record(z.string(), z.unknown()).nullable(),
  decision: Decision.nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
})
export type HookTested = z.output<typeof HookTested>
export type HookTest = z.output<typeof HookTest>
