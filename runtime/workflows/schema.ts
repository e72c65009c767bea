import { z } from 'zod'
import { SharedWith } from '../auth/sharing.ts'
import { changesOf } from '../fields.ts'
import { FormField } from '../form-fields.ts'
import { reference } from '../references.ts'

export const WorkflowStatus = z.enum(['draft', 'active', 'disabled'])

/** What happens when a trigger fires while another execution of the workflow is running. */
export const Mode = z.enum(['single', 'queued', 'parallel', 'restart'])

export const Retry = z.object({
  max_attempts: z.int().min(1).max(10).default(3).meta({ title: 'Attempts', description: 'Including the first' }),
  delay_seconds: z.number().min(0).max(3_600).default(5).meta({ title: 'Delay', unit: 'seconds' }),
  backoff: z
    .enum(['fixed', 'exponential'])
    .default('fixed')
    .meta({
      title: 'Further delays',
      labels: { fixed: 'The same delay each time', exponential: 'Twice the delay each time' },
    }),
})

export const WorkflowNode = z.object({
  id: z
    .string()
    .regex(/^[\w-]+$/, 'must consist of letters, digits, _ and -')
    .max(64),
  /** One of `/api/workflows/node-types`. */
  type: z.string().max(64),
  name: z.string().trim().min(1).max(200),
  position: z.object({ x: z.number(), y: z.number() }).default({ x: 0, y: 0 }),
  /** Texts may contain `{{ expression }}`; a text that begins with `=` is an expression. */
  params: z.record(z.string(), z.unknown()).default({}),
  /** A disabled node passes its input on: at `main`, else at its first output; a loop at `done`. */
  disabled: z.boolean().default(false).meta({ title: 'Disabled' }),
  retry: Retry.nullable().default(null).meta({ title: 'Try again after an error' }),
  timeout_seconds: z
    .number()
    .min(1)
    .max(86_400)
    .nullable()
    .default(null)
    .meta({ title: 'Time limit', unit: 'seconds', labels: { null: 'No limit' } }),
  /**
   * After an error: `stop` fails the execution, `continue` passes the node's input on, `error_item` continues with
   * `{error}`, `error_output` continues at the output `error`, and `error_item_output` does so with the fields of the item
   * and `error`, its message. In a node that runs for each item, for that item.
   */
  on_error: z
    .enum(['stop', 'continue', 'error_item', 'error_output', 'error_item_output'])
    .default('stop')
    .meta({
      title: 'After an error',
      labels: {
        stop: 'Stop the execution',
        continue: 'Continue with the input of the node',
        error_item: 'Continue with the error message',
        error_output: 'Continue at the output “Error”',
        error_item_output: 'Continue there with the item and the error message',
      },
    }),
  retry_safe: z.boolean().default(false).meta({
    title: 'May run twice',
    description: 'After an interruption, the node runs again without asking, although it has side effects',
  }),
  /** What the node does with a list: `list` takes it whole, `item` runs for each item, `auto` does what is usual for the type. */
  input_mode: z
    .enum(['auto', 'item', 'list'])
    .default('auto')
    .meta({
      title: 'A list as input',
      labels: { auto: 'As usual for this node', item: 'Run for each item', list: 'Run once with the list' },
    }),
  concurrency: z.int().min(1).max(20).default(1).meta({
    title: 'Items at the same time',
    description: 'For a node that runs for each item, and for a loop',
  }),
  pause_seconds: z.number().min(0).max(3_600).optional().meta({
    title: 'Pause between items',
    description: 'Each item starts this long after the one before it has ended; the first ones start at once',
    unit: 'seconds',
  }),
  /** `not_empty`: an empty list as input ends the branch, as in programs that run nodes for each item. */
  list_input: z
    .enum(['not_empty'])
    .optional()
    .meta({
      title: 'An empty list as input',
      labels: { null: 'Is a value like any other', not_empty: 'Ends the branch' },
    }),
  first_item: z.boolean().optional().meta({ title: 'Run for the first item only' }),
  always_output: z.boolean().optional().meta({
    title: 'Always continue',
    description: 'An empty list as output becomes a list with one empty object',
  }),
  notes: z.string().max(10_000).default('').meta({ title: 'Notes' }),
})
export type WorkflowNode = z.output<typeof WorkflowNode>

export const WorkflowEdge = z.object({
  id: z.string().min(1).max(200),
  source: z.string().max(64),
  source_output: z
    .string()
    .max(20)
    .regex(
      /^(main|true|false|error|loop|done|case:\d{1,3})$/,
      'must be main, true, false, error, loop, done or case:<n>',
    )
    .default('main'),
  target: z.string().max(64),
  /** Of a node with several inputs. */
  target_input: z.int().min(0).max(99).default(0),
})
export type WorkflowEdge = z.output<typeof WorkflowEdge>

export const WorkflowSettings = z.object({
  mode: Mode.default('parallel').meta({
    title: 'If the workflow is triggered while it is running',
    labels: {
      parallel: 'Run at the same time',
      queued: 'Wait until the running one has ended',
      single: 'Skip the new one',
      restart: 'Cancel the running one',
    },
  }),
  /** For the mode `parallel`; more are queued. */
  max_concurrent: z.int().min(1).max(1_000).default(10).meta({ title: 'Executions at the same time' }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .nullable()
    .default(null)
    .meta({
      title: 'Time limit',
      description: 'For the whole execution, including waiting',
      unit: 'seconds',
      labels: { null: 'No limit' },
    }),
  error_workflow_id: reference('workflow', 64)
    .nullable()
    .default(null)
    .meta({ title: 'Workflow that starts after a failure', labels: { null: 'None' } }),
  /** IANA zone of schedules and of dates in the workflow. */
  timezone: z
    .string()
    .max(64)
    .nullable()
    .default(null)
    .meta({ title: 'Time zone', format: 'timezone', labels: { null: 'Same as the profile' } }),
  expose_as_tool: z.boolean().default(false).meta({
    title: 'Agents may use it as a tool',
    description: 'Also through /mcp. The input schema describes the tool’s input',
  }),
})

/** What a version of a workflow contains. */
export const Definition = z.object({
  nodes: z.array(WorkflowNode).max(500).default([]),
  edges: z.array(WorkflowEdge).max(2_000).default([]),
  settings: WorkflowSettings.default(WorkflowSettings.parse({})),
  variables: z.record(z.string().max(100), z.unknown()).default({}).meta({
    title: 'Variables',
    description: 'Constants that expressions read as vars.name',
    format: 'json',
  }),
  input_schema: z.record(z.string(), z.unknown()).nullable().default(null).meta({
    title: 'Input schema',
    description: 'JSON Schema of the input. Leave blank to accept any',
    format: 'json',
  }),
  /** Outputs by node id, used instead of running these nodes in executions with `use_pin_data`. */
  pin_data: z.record(z.string(), z.unknown()).default({}),
})
export type Definition = z.output<typeof Definition>

export const Workflow = Definition.extend({
  id: z.string(),
  owner_id: z.string(),
  name: z.string(),
  description: z.string(),
  status: WorkflowStatus,
  version: z.int(),
  tags: z.array(z.string()),
  /** User ids, or `everyone`, who may read and run it; only its owner changes it. */
  shared_with: z.array(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Workflow = z.output<typeof Workflow>

const described = {
  name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
  description: z.string().max(20_000).meta({ title: 'Description' }),
  tags: z.array(z.string().trim().min(1).max(50)).max(50).meta({ title: 'Tags', format: 'tags' }),
}

export const NewWorkflow = Definition.extend({
  name: described.name.default('Untitled'),
  description: described.description.default(''),
  tags: described.tags.default([]),
})
export type NewWorkflow = z.output<typeof NewWorkflow>

/** Without the defaults of a new workflow: what is absent stays as it is. */
export const WorkflowChanges = changesOf({
  ...described,
  ...Definition.shape,
  settings: changesOf(WorkflowSettings.shape),
  shared_with: SharedWith,
})
export type WorkflowChanges = z.output<typeof WorkflowChanges>

/** A workflow in a list, without its nodes. */
export const WorkflowSummary = Workflow.pick({
  id: true,
  owner_id: true,
  name: true,
  description: true,
  status: true,
  version: true,
  tags: true,
  shared_with: true,
  created_at: true,
  updated_at: true,
}).extend({
  nodes: z.int(),
  triggers: z.array(z.string()),
  last_execution: z.object({ id: z.string(), status: z.string(), started_at: z.string().nullable() }).nullable(),
})
export type WorkflowSummary = z.output<typeof WorkflowSummary>

export const WorkflowVersion = Definition.extend({
  workflow_id: z.string(),
  version: z.int(),
  created_at: z.string(),
})
export type WorkflowVersion = z.output<typeof WorkflowVersion>

export const Issue = z.object({
  /** For example `nodes.fetch.params.url`: nodes by id. */
  path: z.string(),
  /** The same for people, such as `HTTP request → URL`; the message follows it. */
  place: z.string(),
  message: z.string(),
  node_id: z.string().nullable(),
  /** `error` keeps the workflow from running. */
  severity: z.enum(['error', 'warning']),
})
export type Issue = z.output<typeof Issue>

export const ExecutionStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'timed_out'])
export type ExecutionStatus = z.output<typeof ExecutionStatus>

export const activeStatuses = ['queued', 'running', 'waiting'] as const satisfies readonly ExecutionStatus[]

export const TriggerKind = z.enum([
  'manual',
  'schedule',
  'webhook',
  'form',
  'event',
  'channel',
  'sub_workflow',
  'error',
  'tool',
])
export type TriggerKind = z.output<typeof TriggerKind>

export const RunError = z.object({
  node_id: z.string().nullable(),
  message: z.string(),
  /** For example `timeout` or `http_404`; `error` if there is no better name. */
  code: z.string(),
  /** The node may have taken effect, although it failed. */
  uncertain: z.boolean().optional(),
})
export type RunError = z.output<typeof RunError>

/** Of a value of more than 256 KB, `short` answers the beginning. */
const shortened = { shortened: z.array(z.enum(['input', 'output'])) }

export const NodeRunStatus = z.enum(['running', 'waiting', 'succeeded', 'failed', 'cancelled'])

export const NodeRun = z.object({
  seq: z.int(),
  node_id: z.string(),
  status: NodeRunStatus,
  attempt: z.int(),
  /** Iteration of the innermost loop around the node, or position of its item, from 0; null outside loops and lists. */
  iteration: z.int().nullable(),
  started_at: z.string(),
  completed_at: z.string().nullable(),
  input: z.unknown(),
  output: z.unknown(),
  /** The output at which the execution continued. */
  output_name: z.string().nullable(),
  /** If items went to several outputs: their positions in the output, by its name. */
  routes: z.record(z.string(), z.array(z.int())).nullable(),
  error: RunError.nullable(),
  /** The output is pin data. */
  pinned: z.boolean(),
  /** Console output of its code, at most 20,000 characters. */
  logs: z.string().nullable(),
  ...shortened,
})
export type NodeRun = z.output<typeof NodeRun>

/** Size and first characters of an input and an output in a list. Null if there is none. */
const excerpts = {
  /** Characters as JSON. */
  input_size: z.int().nullable(),
  /** The first characters of the JSON. */
  input_preview: z.string().nullable(),
  output_size: z.int().nullable(),
  output_preview: z.string().nullable(),
}

/** A node run in a list, without its input and output. */
export const NodeRunSummary = NodeRun.omit({
  input: true,
  output: true,
  routes: true,
  logs: true,
  shortened: true,
}).extend(excerpts)
export type NodeRunSummary = z.output<typeof NodeRunSummary>

/** What a person or another part of the program has to do before a node can continue. */
export const WaitingFor = z.object({
  token: z.int(),
  node_id: z.string(),
  /** `repeat`: the node was interrupted and may have had its effect. */
  kind: z.enum([
    ...['approval', 'delay', 'retry', 'repeat', 'agent', 'sub_workflow', 'project', 'replay'],
    ...['form', 'call'],
  ] as const),
  message: z.string(),
  options: z.array(z.string()),
  /** What a person is asked for, beside the choice. */
  fields: z.array(FormField),
  /** When it continues, or expires. */
  until: z.string().nullable(),
  /** What it waits for: an execution, message or project. */
  ref: z.string().nullable(),
})
export type WaitingFor = z.output<typeof WaitingFor>

export const Execution = z.object({
  id: z.string(),
  workflow_id: z.string(),
  version: z.int(),
  trigger: TriggerKind,
  status: ExecutionStatus,
  input: z.unknown(),
  output: z.unknown(),
  error: RunError.nullable(),
  retry_of: z.string().nullable(),
  parent_id: z.string().nullable(),
  waiting_for: z.array(WaitingFor),
  created_at: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
})
export type Execution = z.output<typeof Execution>

/** An execution in a list, without its input and output. */
export const ExecutionSummary = Execution.omit({ input: true, output: true }).extend(excerpts)
export type ExecutionSummary = z.output<typeof ExecutionSummary>

export const ExecutionDetails = Execution.extend({
  ...shortened,
  node_runs: z.array(NodeRunSummary),
  node_runs_total: z.int(),
  /** Of an execution that waits for a form or a call: the path at which whoever knows it continues it. */
  resume_path: z.string().nullable(),
})
export type ExecutionDetails = z.output<typeof ExecutionDetails>

export const Execute = z.object({
  input: z.unknown().optional(),
  /** Starts at this node, with the outputs of the last execution for the nodes before it. */
  from_node: z.string().max(64).optional(),
  /** Ends after this node. Only nodes that lead to it run. */
  to_node: z.string().max(64).optional(),
  use_pin_data: z.boolean().default(false),
})
export type Execute = z.output<typeof Execute>

/** A text with expressions, to be evaluated at a node of a workflow as it is drawn. */
export const Preview = z.object({
  text: z.string().max(20_000),
  node_id: reference('node', 64),
  /** Whose data it sees. Without one: pin data, and samples of what triggers pass on. */
  execution_id: reference('execution', 64).nullable().default(null),
  /** Of the item, for a node that runs for each. */
  index: z.int().min(0).max(999).default(0),
  /** Unsaved changes of the workflow. */
  changes: WorkflowChanges.default({}),
})
export type Preview = z.output<typeof Preview>

/** A person's answer to a waiting node. */
export const Answer = z.object({
  /** `token` of `waiting_for`. */
  token: z.int(),
  /** One of its `options`. */
  choice: z.string().max(100).default(''),
  comment: z.string().max(5_000).default(''),
  /** Of its `fields`, by name. */
  values: z.record(z.string(), z.unknown()).default({}),
})
export type Answer = z.output<typeof Answer>

export const NodeTypeInfo = z.object({
  type: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.enum(['trigger', 'ai', 'data', 'flow', 'action', 'people', 'other']),
  /** JSON Schema. `x-language` of a field is `jsonata` or `javascript` if its text is code and not a template. */
  params: z.record(z.string(), z.unknown()),
  outputs: z.array(z.object({ name: z.string(), label: z.string() })),
  /** The parameter whose items add the outputs `case:0`, `case:1` and so on. */
  outputs_from: z.string().nullable(),
  risk: z.enum(['low', 'medium', 'high']),
  /** Some calls change something outside the workflow. */
  side_effects: z.boolean(),
  /** What the node does with a list if its `input_mode` is `auto`. */
  usual_input: z.enum(['item', 'list']),
  /** It waits for what arrives at its inputs; `target_input` of an edge says at which. */
  several_inputs: z.boolean(),
  /** An example of the output of a trigger, for previews before it has fired; null if there is none. */
  sample: z.unknown(),
  available: z.boolean(),
  /** Why it cannot be used here. */
  reason: z.string().nullable(),
})
export type NodeTypeInfo = z.output<typeof NodeTypeInfo>

/** What starts a workflow. */
export const TriggerInfo = z.object({
  node_id: z.string(),
  kind: z.enum(['webhook', 'form', 'event', 'schedule']),
  enabled: z.boolean(),
  /** The path of a webhook or form: whoever knows it can start the workflow. */
  path: z.string().nullable(),
  /** Of a webhook or form: the address for senders on the internet; null until the public base URL of the channels is set. */
  url: z.string().nullable(),
  event: z.string().nullable(),
  /** The job of the scheduler, while a schedule is enabled. */
  job_id: z.string().nullable(),
  next_run_at: z.string().nullable(),
})
export type TriggerInfo = z.output<typeof TriggerInfo>

/** What an import could not translate. */
export const ImportReport = z.object({
  nodes: z.int(),
  placeholders: z.array(z.object({ node_id: z.string(), name: z.string(), type: z.string(), reason: z.string() })),
  issues: z.array(
    z.object({
      node_id: z.string().nullable(),
      name: z.string(),
      field: z.string(),
      message: z.string(),
      /** The text that was not translated. */
      original: z.string(),
    }),
  ),
  /** Those that nodes name and that are still to be entered, once for all nodes. */
  credentials: z.array(z.object({ name: z.string(), kind: z.string(), node_ids: z.array(z.string()) })),
})
export type ImportReport = z.output<typeof ImportReport>

/** A workflow as a file. */
export const WorkflowFile = z.object({
  format: z.literal('hearthd.workflow'),
  format_version: z.literal(1),
  workflow: NewWorkflow,
})
export type WorkflowFile = z.output<typeof WorkflowFile>

export const Template = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  /** What it needs: nothing, a model, or a mail server. */
  needs: z.array(z.enum(['model', 'email', 'browser'])),
  nodes: z.int(),
})
export type Template = z.output<typeof Template>
