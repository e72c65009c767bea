import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { stream } from '../../runtime/http/returns.ts'
import { listExecutions } from '../../runtime/workflows/execution-store.ts'
import {
  answerExecution,
  cancelExecution,
  execute as executeWorkflow,
  requireExecution,
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
  TriggerKind,
} from '../../runtime/workflows/schema.ts'
import { requireWorkflow } from '../../runtime/workflows/workflows.ts'

const Started = z.object({ execution_id: z.string(), status: ExecutionStatus })

const filter = pageQuery().extend({
  status: ExecutionStatus.optional(),
  trigger: TriggerKind.optional(),
})

export const all = endpoint({
  method: 'GET',
  path: '/api/workflows/executions',
  summary: 'List the executions of all workflows, newest first',
  query: filter,
  returns: listOf('executions', ExecutionSummary),
  async run({ query }, context) {
    const { limit, offset } = query
    return { ...(await listExecutions(context, query)), limit, offset }
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/workflows/executions/{id}',
  summary: 'Get an execution with its input and output, and its first 500 node runs without theirs',
  returns: ExecutionDetails,
  run: ({ params }, context) => showExecution(context, params.id),
})

export const nodeRuns = endpoint({
  method: 'GET',
  path: '/api/workflows/executions/{id}/node-runs',
  summary:
    'List the node runs of an execution, in order, with the size and first characters of their input and output',
  query: pageQuery().extend({ node_id: z.string().max(64).optional() }),
  returns: listOf('node_runs', NodeRunSummary),
  async run({ params, query }, context) {
    await requireExecution(context, params.id)
    const found = await listRuns(context, params.id, query)
    return { ...found, limit: query.limit, offset: query.offset }
  },
})

export const nodeRun = endpoint({
  method: 'GET',
  path: '/api/workflows/executions/{id}/node-runs/{seq}',
  summary: 'Get a node run with its input and output',
  params: z.object({ id: z.string(), seq: z.coerce.number().int().min(1).max(1_000_000_000) }),
  returns: NodeRun,
  run: ({ params }, context) => requireRun(context, params.id, params.seq),
})

export const preview = endpoint({
  method: 'GET',
  path: '/api/workflows/executions/{id}/preview',
  summary: 'Evaluate a text with expressions at a node, over the data of an execution',
  query: z.object({
    node_id: z.string().max(64),
    after: z.string().max(64).optional(),
    after_output: z.string().max(20).optional(),
    text: z.string().max(6_000),
  }),
  returns: z.object({ value: z.unknown(), error: z.string().nullable() }),
  run: ({ params, query }, context) => previewText(context, params.id, query),
})

export const events = endpoint({
  method: 'GET',
  path: '/api/workflows/executions/{id}/events',
  summary: 'Follow an execution: a snapshot, then every change until it has ended',
  returns: stream(streamEvents),
  async run({ params }, context) {
    await requireExecution(context, params.id)
    return followExecution(context, params.id)
  },
})

export const cancel = endpoint({
  method: 'POST',
  path: '/api/workflows/executions/{id}/cancel',
  summary: 'Cancel an execution',
  returns: Execution,
  run: ({ params }, context) => cancelExecution(context, params.id),
})

export const retry = endpoint({
  method: 'POST',
  path: '/api/workflows/executions/{id}/retry',
  summary: 'Run an execution once more, with the current version',
  body: z.object({ from: z.enum(['start', 'failure']).default('start') }),
  body_optional: true,
  returns: Started,
  status: 202,
  run: ({ params, body }, context) => retryExecution(context, params.id, body.from),
})

export const answer = endpoint({
  method: 'POST',
  path: '/api/workflows/executions/{id}/answer',
  summary: 'Answer a node that waits for a person',
  access: 'approve',
  body: Answer,
  returns: Execution,
  run: ({ params, body }, context) => answerExecution(context, params.id, body),
})

export const execute = endpoint({
  method: 'POST',
  path: '/api/workflows/{id}/execute',
  summary: 'Run a workflow',
  body: Execute,
  body_optional: true,
  returns: Started,
  status: 202,
  run: ({ params, body }, context) => executeWorkflow(context, params.id, body),
})

export const executions = endpoint({
  method: 'GET',
  path: '/api/workflows/{id}/executions',
  summary: 'List the executions of a workflow, newest first',
  query: filter,
  returns: listOf('executions', ExecutionSummary),
  async run({ params, query }, context) {
    await requireWorkflow(context, params.id)
    const { limit, offset } = query
    return { ...(await listExecutions(context, { ...query, workflow_id: params.id })), limit, offset }
  },
})
