import { z } from 'zod'
import { listing, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText } from '../../runtime/http/page.ts'
import { stream } from '../../runtime/http/returns.ts'
import { listExecutions } from '../../runtime/workflows/execution-store.ts'
import {
  answerExecution,
  cancelExecution,
  execute as executeWorkflow,
  requireRow,
  requireRun,
  retryExecution,
  showExecution,
} from '../../runtime/workflows/executions.ts'
import { followExecution, streamEvents } from '../../runtime/workflows/follow.ts'
import { listRuns } from '../../runtime/workflows/node-run-store.ts'
import { previewText } from '../../runtime/workflows/preview.ts'
import {
  Answer,
  Execute,
  Execution,
  ExecutionDetails,
  ExecutionStatus,
  ExecutionSummary,
  NodeRun,
  NodeRunSummary,
  Preview,
  TriggerKind,
} from '../../runtime/workflows/schema.ts'
import { requireWorkflow } from '../../runtime/workflows/workflows.ts'

const Started = z.object({ execution_id: z.string(), status: ExecutionStatus })

const filter = { status: ExecutionStatus.optional(), trigger: TriggerKind.optional(), search: searchText }
const place = { path: '/api/workflows/executions', require: requireRow } as const
/** Whether only the beginning of a value of more than 256 KB is answered. */
const short = z.object({ short: z.stringbool().default(false) })
const workflows = { path: '/api/workflows', require: requireWorkflow } as const

export const all = listing({
  path: '/api/workflows/executions',
  summary: 'List the executions of all workflows, newest first',
  items: 'executions',
  item: ExecutionSummary,
  query: pageQuery().extend(filter),
  rows: listExecutions,
})

export const show = endpoint('GET /api/workflows/executions/{id}', {
  summary: 'Get an execution with its input and output, and its first 500 node runs without input and output',
  query: short,
  returns: ExecutionDetails,
  run: ({ params, query }, context) => showExecution(context, params.id, query.short),
})

export const nodeRuns = logOf(place, 'node-runs', {
  summary: 'List the node runs of an execution, in order, with the size and first characters of their input and output',
  items: 'node_runs',
  item: NodeRunSummary,
  query: { node_id: z.string().max(64).optional() },
  rows: listRuns,
})

export const nodeRun = endpoint('GET /api/workflows/executions/{id}/node-runs/{seq}', {
  summary: 'Get a node run with its input and output',
  params: z.object({ id: z.string(), seq: z.coerce.number().int().min(1).max(1_000_000_000) }),
  query: short,
  returns: NodeRun,
  run: ({ params, query }, context) => requireRun(context, params.id, { seq: params.seq, ...query }),
})

export const preview = endpoint('POST /api/workflows/{id}/preview', {
  summary:
    'Evaluate a text with expressions at a node, over the data of an execution, pin data and samples; up to 256 KB',
  body: Preview,
  before: ({ params }, context) => requireWorkflow(context, params.id),
  returns: z.object({ value: z.unknown(), error: z.string().nullable() }),
  run: ({ params, body }, context) => previewText(context, params.id, body),
})

export const events = endpoint('GET /api/workflows/executions/{id}/events', {
  summary: 'Follow an execution: a snapshot, then every change until it has ended',
  returns: stream(streamEvents),
  async run({ params }, context) {
    await requireRow(context, params.id)
    return followExecution(context, params.id)
  },
})

export const cancel = verbOf(place, 'cancel', {
  summary: 'Cancel an execution',
  returns: Execution,
  run: cancelExecution,
})

export const retry = verbOf(place, 'retry', {
  summary: 'Run an execution again with the current version',
  body: z.object({ from: z.enum(['start', 'failure']).default('start') }),
  body_optional: true,
  returns: Started,
  status: 202,
  run: (context, id, { from }) => retryExecution(context, id, from),
})

export const answer = verbOf(place, 'answer', {
  summary: 'Answer a node that waits for a person',
  access: 'approve',
  body: Answer,
  returns: Execution,
  run: answerExecution,
})

export const execute = verbOf(workflows, 'execute', {
  summary: 'Run a workflow',
  body: Execute,
  body_optional: true,
  returns: Started,
  status: 202,
  run: executeWorkflow,
})

export const executions = logOf(workflows, 'executions', {
  summary: 'List the executions of a workflow, newest first',
  item: ExecutionSummary,
  query: filter,
  rows: (context, workflow_id, query) => listExecutions(context, { ...query, workflow_id }),
})
