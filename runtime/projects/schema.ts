import { z } from 'zod'
import { SharedWith } from '../auth/sharing.ts'
import { changesOf } from '../fields.ts'
import { MachinePath } from '../paths.ts'
import { reference } from '../references.ts'
import { Trust } from '../trust.ts'
import { Wait } from '../work/schema.ts'

/** How a project trades time and money for care. See `strategies`. */
export const Strategy = z.enum(['performance', 'balanced', 'economy', 'thorough'])
export type Strategy = z.output<typeof Strategy>

export const ProjectStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type ProjectStatus = z.output<typeof ProjectStatus>

/** `agent`: the agent decides what is open and records why. `human`: it asks. */
export const DecisionMode = z.enum(['agent', 'human'])

export const Project = z.object({
  id: z.string(),
  owner_id: z.string(),
  /** `everyone`, or ids of users: they see the project; only its owner changes it. */
  shared_with: z.array(z.string()),
  name: z.string(),
  description: z.string(),
  trust: Trust.meta({ description: 'Who wrote the description' }),
  status: ProjectStatus,
  strategy: Strategy,
  auto_approve_plan: z.boolean(),
  auto_approve_phases: z.boolean(),
  decision_mode: DecisionMode,
  /** A folder of the machine; null for the project's own folder below the data folder. */
  path: z.string().nullable(),
  agent_id: z.string().nullable(),
  sme_archetype: z.string().nullable(),
  /** USD that the project may spend in total, and one task of it; null for no limit. */
  budget: z.object({ project_usd: z.number().nullable(), task_usd: z.number().nullable() }),
  /** How long its work waits for a limit or an outage of a provider to pass, in hours. */
  max_wait_hours: z.number(),
  /** Whether the planner reads how the owner's earlier projects ended. */
  use_lessons: z.boolean(),
  /** The conversation in which the project asks its owner; null until it has asked. */
  conversation_id: z.string().nullable(),
  /** The scheduled job and its run that started the project; null if a person or an agent did. */
  job_id: z.string().nullable(),
  run_id: z.string().nullable(),
  /** Why the project failed, or why no plan could be made. */
  error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
})
export type Project = z.output<typeof Project>

const name = z.string().trim().min(1).max(200).meta({ title: 'Name' })
const usd = z.number().min(0).max(1_000_000).nullable().default(null)
const noLimit = { unit: 'USD', labels: { null: 'No limit' } }
const fields = {
  name: name.default('Untitled'),
  description: z.string().max(50_000).default('').meta({
    title: 'What should be done?',
    description: 'The goal in your own words, or a list of steps',
    format: 'multiline',
  }),
  /** Default: that of the settings. */
  strategy: Strategy.optional().meta({
    title: 'Strategy',
    labels: { performance: 'Fast', balanced: 'Balanced', economy: 'Economical', thorough: 'Thorough' },
    hints: {
      performance: 'Up to eight tasks at once, with the strongest model. Each result is checked.',
      balanced: 'Up to four tasks at once. Each result is checked against its acceptance criteria.',
      economy: 'As few tasks as possible, one at a time, with the cheapest model. Only files are checked.',
      thorough: 'Two tasks at once. Each result is checked, and the finished project is audited.',
    },
  }),
  auto_approve_plan: z.boolean().default(false).meta({ title: 'Start without my approval of the plan' }),
  auto_approve_phases: z.boolean().default(true).meta({ title: 'Start each phase without my approval' }),
  decision_mode: DecisionMode.default('agent').meta({
    title: 'Open questions',
    labels: { agent: 'The agent decides', human: 'Ask me' },
    hints: {
      agent: 'It records in its report what it decided and why.',
      human: 'A task with an open question waits for your answer.',
    },
  }),
  agent_id: reference('agent')
    .nullable()
    .default(null)
    .meta({ title: 'Agent', labels: { null: 'Default agent' } }),
  sme_archetype: z.string().nullable().default(null),
  budget: z
    .object({
      project_usd: usd.meta({ title: 'Budget in USD', ...noLimit }),
      task_usd: usd.meta({ title: 'Budget for each task in USD', ...noLimit }),
    })
    .default({ project_usd: null, task_usd: null }),
  max_wait_hours: z.number().min(0).max(720).default(24).meta({
    title: 'Wait for providers',
    description: 'How long work waits for a limit or an outage to pass before it fails',
    unit: 'hours',
  }),
  use_lessons: z.boolean().default(false).meta({
    title: 'Learn from earlier projects',
    description: 'The plan considers what failed in them and what their audits found',
  }),
}

export const NewProject = z.object({
  ...fields,
  path: MachinePath.nullable()
    .default(null)
    .meta({
      title: 'Folder on the machine',
      description: 'One that the security settings allow',
      format: 'line',
      labels: { null: 'A folder of its own' },
    }),
})
export type NewProject = z.output<typeof NewProject>

export const ProjectChanges = changesOf({ ...fields, shared_with: SharedWith })
export type ProjectChanges = z.output<typeof ProjectChanges>

export const TaskStatus = z.enum([
  'pending',
  'ready',
  'running',
  'waiting_approval',
  'blocked',
  'completed',
  'failed',
  'skipped',
  'cancelled',
])
export type TaskStatus = z.output<typeof TaskStatus>

export const Priority = z.enum(['low', 'normal', 'high', 'urgent'])

/** A result of a task. `value` is the text, the path below the project's folder, the URL or the unified diff. */
export const Output = z.object({
  kind: z.enum(['text', 'file', 'url', 'diff']),
  name: z.string(),
  value: z.string(),
  size_bytes: z.int(),
})
export type Output = z.output<typeof Output>

/** What a blocked task needs, and how it was decided. */
export const Block = z.object({
  /** `question`: the agent asked. `repeat`: it was interrupted while it changed something. */
  kind: z.enum(['question', 'repeat']),
  question: z.string(),
  options: z.array(z.string()),
  answer: z.string().nullable(),
  decided_by: z.literal('human').nullable(),
  asked_at: z.string(),
  answered_at: z.string().nullable(),
})
export type Block = z.output<typeof Block>

export const Task = z.object({
  id: z.string(),
  project_id: z.string(),
  phase_id: z.string(),
  title: z.string(),
  description: z.string(),
  status: TaskStatus,
  priority: Priority,
  depends_on: z.array(z.string()),
  agent_id: z.string().nullable(),
  /** What must be true of the result. */
  acceptance: z.array(z.string()),
  /** Paths below the project's folder that it is to write. */
  files: z.array(z.string()),
  /** What the owner added when the task was retried. */
  note: z.string().nullable(),
  attempts: z.int(),
  max_attempts: z.int(),
  outputs: z.array(Output),
  block: Block.nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  error: z.string().nullable(),
  /** Why a running task waits without anybody having to do something, and until when. */
  waiting: Wait.nullable(),
  /** The conversation in which the agent works on the task; null before the first attempt. */
  conversation_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
})
export type Task = z.output<typeof Task>

const taskFields = {
  title: z.string().trim().min(1).max(200).meta({ title: 'Title' }),
  description: z.string().max(20_000).default('').meta({
    title: 'Description',
    description: 'Everything the agent needs to know: it sees only this and the results of the tasks below',
    format: 'multiline',
  }),
  depends_on: z.array(reference('task')).max(100).default([]).meta({ title: 'Starts after' }),
  agent_id: reference('agent')
    .nullable()
    .default(null)
    .meta({ title: 'Agent', labels: { null: "The project's agent" } }),
  priority: Priority.default('normal').meta({ title: 'Priority' }),
  acceptance: z.array(z.string().trim().min(1).max(1_000)).max(20).default([]).meta({
    title: 'Acceptance criteria',
    description: 'What must be true of the result',
  }),
  files: z.array(z.string().trim().min(1).max(500)).max(50).default([]).meta({
    title: 'Files',
    description: 'Paths below the project’s folder that the task is to write',
  }),
}

/** Default of the phase: the last one. */
export const NewTask = z.object({ ...taskFields, phase_id: reference('phase').optional() })
export type NewTask = z.output<typeof NewTask>

/** What a person answers to the question of a task. */
export const TaskAnswer = z.string().trim().min(1).max(10_000)

export const TaskChanges = changesOf(taskFields)
export type TaskChanges = z.output<typeof TaskChanges>

export const PhaseStatus = z.enum(['pending', 'waiting_approval', 'running', 'completed'])

export const Phase = z.object({
  id: z.string(),
  order: z.int(),
  name: z.string(),
  goal: z.string(),
  status: PhaseStatus,
  task_ids: z.array(z.string()),
})
export type Phase = z.output<typeof Phase>

export const NewPhase = z.object({
  name,
  goal: z.string().max(5_000).default('').meta({ title: 'Goal' }),
  /** Position from 0. Default: the end. */
  order: z.int().min(0).max(1_000).optional(),
})
export type NewPhase = z.output<typeof NewPhase>

/** What a plan is expected to take. */
export const Estimate = z.object({
  tasks: z.int(),
  tokens: z.int(),
  /** Null if the price of the model is not known. */
  cost_usd: z.number().nullable(),
  minutes: z.int(),
})

export const PlanStatus = z.enum(['draft', 'pending_approval', 'approved', 'superseded'])

/** A version of the plan as it was made; the current tasks are read from the project. */
export const Plan = z.object({
  id: z.string(),
  project_id: z.string(),
  version: z.int(),
  status: PlanStatus,
  summary: z.string(),
  strategy: Strategy,
  assumptions: z.array(z.string()),
  phases: z.array(
    z.object({
      id: z.string(),
      order: z.int(),
      name: z.string(),
      goal: z.string(),
      tasks: z.array(
        Task.pick({
          id: true,
          title: true,
          description: true,
          priority: true,
          depends_on: true,
          acceptance: true,
          files: true,
          agent_id: true,
        }),
      ),
    }),
  ),
  estimate: Estimate,
  /** `provider/model` that made it. */
  made_by: z.string(),
  /** Whether the planner has read untrusted text, such as an uploaded file. */
  tainted: z.boolean(),
  /** What the owner asked to change. */
  instructions: z.string().nullable(),
  created_at: z.string(),
  approved_at: z.string().nullable(),
})
export type Plan = z.output<typeof Plan>

/** The plan with the phases as they are now. */
export const ShownPlan = Plan.extend({
  phases: z.array(Plan.shape.phases.element.extend({ status: PhaseStatus, task_ids: z.array(z.string()) })),
})
export type ShownPlan = z.output<typeof ShownPlan>

export const ProjectDetails = Project.extend({
  /** Whether a version of the plan is being made. */
  planning: z.boolean(),
  /** Why the plan that is being made waits, and until when. */
  planning_waits: Wait.nullable(),
  plan: Plan.nullable(),
  phases: z.array(Phase),
  tasks: z.array(Task),
})
export type ProjectDetails = z.output<typeof ProjectDetails>

export const Finding = z.object({
  severity: z.enum(['info', 'warning', 'error']),
  task_id: z.string().nullable(),
  message: z.string(),
  suggestion: z.string(),
})

export const AuditScope = z.enum(['plan', 'result'])

export const Audit = z.object({
  scope: AuditScope,
  /** 0 to 100. */
  score: z.number(),
  findings: z.array(Finding),
  made_by: z.string(),
  created_at: z.string(),
})
export type Audit = z.output<typeof Audit>

export const PlanningJob = z.object({ id: z.string(), status: z.enum(['queued', 'running']) })

export const Metrics = z.object({
  /** What the project needs from its owner before it can continue. */
  waiting_for: z.enum(['plan_approval', 'phase_approval', 'answer']).nullable(),
  tasks: z.record(TaskStatus, z.int()),
  progress_pct: z.number(),
  attempts: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  estimate: Estimate.nullable(),
  duration_seconds: z.number().nullable(),
  avg_task_seconds: z.number().nullable(),
})
export type Metrics = z.output<typeof Metrics>

/** A project in a list, with how far it is. */
export const ListedProject = Project.extend({
  progress: z.object({
    waiting_for: Metrics.shape.waiting_for,
    /** Completed and skipped tasks. */
    done: z.int(),
    total: z.int(),
    cost_usd: z.number(),
  }),
})
export type ListedProject = z.output<typeof ListedProject>

export const OutputFile = z.object({
  path: z.string(),
  size_bytes: z.int(),
  modified_at: z.string(),
  /** Tasks that wrote it. */
  task_ids: z.array(z.string()),
})
export type OutputFile = z.output<typeof OutputFile>
