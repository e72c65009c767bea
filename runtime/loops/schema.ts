import { z } from 'zod'
import { SharedWith } from '../auth/sharing.ts'
import { changesOf, readOf } from '../fields.ts'
import { MachinePath } from '../paths.ts'
import { reference } from '../references.ts'
import { ExecutionMode } from '../tools/modes.ts'

/**
 * `waiting`: for the time of the next iteration, or an approval of a tool call. `blocked`: for an answer of the owner.
 * `paused`: for somebody who resumes it.
 */
export const LoopStatus = z.enum([
  'draft',
  'running',
  'waiting',
  'paused',
  'blocked',
  'completed',
  'failed',
  'cancelled',
])
export type LoopStatus = z.output<typeof LoopStatus>

export const StopReason = z.enum([
  'complete',
  'max_iterations',
  'budget',
  'stuck',
  'blocked',
  'judge_error',
  'cancelled',
  'error',
])
export type StopReason = z.output<typeof StopReason>

/** How to verify whether the goal is reached. */
export const Verification = z.discriminatedUnion('kind', [
  /** Another model call compares the result with the success criteria and these instructions. */
  z.object({
    kind: z.literal('judge'),
    spec: z
      .object({
        instructions: z.string().max(10_000).default('').meta({
          title: 'Instructions for the judge',
          description: 'What it should look at closely (optional)',
        }),
      })
      .default({ instructions: '' }),
  }),
  /**
   * `javascript`: code in the embedded engine that can read the files of the loop; the goal is reached if it returns true
   * or `{complete: true}`. `shell`: a command in the sandbox that exits with 0.
   */
  z.object({
    kind: z.literal('command'),
    spec: z.object({
      language: z
        .enum(['javascript', 'shell'])
        .default('javascript')
        .meta({ labels: { javascript: 'JavaScript', shell: 'Shell (needs the sandbox)' } }),
      code: z.string().trim().min(1).max(50_000),
    }),
  }),
  /** The goal is reached if a GET request is answered with a 2xx status. */
  z.object({
    kind: z.literal('http'),
    spec: z.object({
      url: z
        .url({ protocol: /^https?$/ })
        .max(2_000)
        .meta({
          title: 'URL',
          description: 'Requested with GET after each iteration; any 2xx status means that the goal is reached',
        }),
    }),
  }),
  /** The owner decides. */
  z.object({
    kind: z.literal('human'),
    spec: z
      .object({
        question: z.string().max(2_000).default('').meta({
          title: 'Your question',
          description: 'What you want to be asked after each iteration. Default: is the goal reached?',
        }),
      })
      .default({ question: '' }),
  }),
])
export type Verification = z.output<typeof Verification>

export const Verdict = z.object({
  /** 0 to 100. */
  score: z.number(),
  complete: z.boolean(),
  missing: z.array(z.string()),
  evidence: z.string(),
})
export type Verdict = z.output<typeof Verdict>

export const Action = z.object({
  tool: z.string(),
  summary: z.string(),
  is_error: z.boolean(),
  /** The beginning of the result. */
  result: z.string(),
})
export type Action = z.output<typeof Action>

/** `interrupted`: by the end of the daemon; it is done again under the same index. */
export const IterationStatus = z.enum(['running', 'verifying', 'finished', 'failed', 'interrupted', 'cancelled'])

export const Iteration = z.object({
  id: z.string(),
  run_id: z.string(),
  /** From 1. */
  index: z.int(),
  status: IterationStatus,
  /** The report of the agent. */
  summary: z.string(),
  actions: z.array(Action),
  /** Null if it was not verified. */
  verdict: Verdict.nullable(),
  error: z.string().nullable(),
  tokens: z.int(),
  cost_usd: z.number(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
})
export type Iteration = z.output<typeof Iteration>

/** What a blocked loop needs to know. */
export const LoopQuestion = z.object({
  /** `question`: the agent asked. `verify`: is the goal reached? `stuck`: how to go on? `repeat`: it was interrupted while it changed something. */
  kind: z.enum(['question', 'verify', 'stuck', 'repeat']),
  question: z.string(),
  options: z.array(z.string()),
  asked_at: z.string(),
})
export type LoopQuestion = z.output<typeof LoopQuestion>

/** Limits of one run; null for no limit. Minutes count while an iteration is active. */
export const LoopBudget = z.object({
  tokens: z.int().min(1).max(1_000_000_000).nullable().default(null).meta({ title: 'Tokens' }),
  usd: z.number().min(0).max(1_000_000).nullable().default(null).meta({ title: 'Cost', unit: 'USD' }),
  minutes: z
    .number()
    .min(0)
    .max(100_000)
    .nullable()
    .default(null)
    .meta({ title: 'Time', description: 'Waiting does not count', unit: 'minutes' }),
})
export type LoopBudget = z.output<typeof LoopBudget>

const fields = {
  name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
  goal: z.string().trim().min(1).max(20_000).meta({
    title: 'Goal',
    description: 'What the agent should achieve. It gets this text in every iteration',
    format: 'multiline',
  }),
  success_criteria: z.array(z.string().trim().min(1).max(1_000)).max(20).default([]).meta({
    title: 'Success criteria',
    description: 'What must be true in the end. Leave blank to use the goal itself',
  }),
  verification: Verification.default({ kind: 'judge', spec: { instructions: '' } }).meta({
    title: 'Verification',
    description: 'What decides after each iteration whether the goal is reached',
  }),
  constraints: z.string().max(10_000).default('').meta({
    title: 'Constraints',
    description: 'How the agent should work, and what it must not do',
  }),
  agent_id: reference('agent').nullable().default(null).meta({ title: 'Agent' }),
  workspace_path: MachinePath.nullable().default(null).meta({
    title: 'Folder on the machine',
    description: 'One that the security settings allow',
  }),
  execution_mode: ExecutionMode.default('auto').meta({ title: 'Approval' }),
  max_iterations: z.int().min(1).max(1_000).default(20).meta({ title: 'Maximum iterations' }),
  budget: LoopBudget.default({ tokens: null, usd: null, minutes: null }),
  interval_seconds: z.int().min(0).max(2_592_000).default(0).meta({
    title: 'Pause between iterations',
    unit: 'seconds',
  }),
  on_blocked: z
    .enum(['ask', 'pause', 'fail'])
    .default('ask')
    .meta({
      title: 'If the agent has a question or makes no progress',
      labels: { ask: 'Ask me', pause: 'Pause', fail: 'Fail' },
      hints: {
        ask: 'The loop waits for your answer, here and on Home.',
        pause: 'The loop waits until you resume it.',
        fail: 'The loop ends.',
      },
    }),
}

export const NewLoop = z.object({ ...fields, name: fields.name.optional() })
export type NewLoop = z.output<typeof NewLoop>

export const LoopChanges = changesOf({ ...fields, shared_with: SharedWith })
export type LoopChanges = z.output<typeof LoopChanges>

/** Counts, tokens and cost are those of the latest run. */
export const Loop = z.object({
  id: z.string(),
  owner_id: z.string(),
  /** `everyone`, or ids of users: they see the loop; only its owner changes it. */
  shared_with: z.array(z.string()),
  ...readOf(fields),
  /** The kind of its verification in effect: without a model that can judge, the owner is asked instead. */
  verified_by: z.enum(['judge', 'command', 'http', 'human']),
  status: LoopStatus,
  /** Why it is not running any more; null while it runs. */
  stop_reason: StopReason.nullable(),
  /** The stop reason as a sentence. */
  error: z.string().nullable(),
  /** Whether the loop will be paused when its current iteration has ended. */
  pausing: z.boolean(),
  /** Null unless it is blocked. */
  question: LoopQuestion.nullable(),
  iteration: z.int(),
  last_verdict: Verdict.nullable(),
  /** Instructions for the next iteration. */
  steering: z.array(z.string()),
  tokens_used: z.int(),
  cost_usd: z.number(),
  /** Seconds in which an iteration was active. */
  active_seconds: z.number(),
  run_id: z.string().nullable(),
  /** The conversation in which the agent works. */
  conversation_id: z.string().nullable(),
  /** When the next iteration starts; null unless it waits for that time. */
  next_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})
export type Loop = z.output<typeof Loop>

export const LoopRun = Loop.pick({
  id: true,
  status: true,
  stop_reason: true,
  error: true,
  iteration: true,
  last_verdict: true,
  tokens_used: true,
  cost_usd: true,
  active_seconds: true,
  conversation_id: true,
  ended_at: true,
}).extend({ loop_id: z.string(), started_at: z.string() })
export type LoopRun = z.output<typeof LoopRun>

export const LoopRunDetails = LoopRun.extend({ iterations: z.array(Iteration) })
export type LoopRunDetails = z.output<typeof LoopRunDetails>

export const LoopDetails = Loop.extend({ iterations: z.array(Iteration) })
export type LoopDetails = z.output<typeof LoopDetails>

export const LoopTemplate = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Whether the offline model can run it. */
  offline: z.boolean(),
  /** The values to enter when a loop is created from the template. */
  inputs: z.array(z.object({ name: z.string(), label: z.string(), example: z.string() })),
  /** The loop with the examples as inputs. */
  loop: NewLoop,
})
export type LoopTemplate = z.output<typeof LoopTemplate>
