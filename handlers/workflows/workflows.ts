import { z } from 'zod'
import { logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import {
  Issue,
  NewWorkflow,
  TriggerInfo,
  Workflow,
  WorkflowChanges,
  WorkflowStatus,
  WorkflowSummary,
  WorkflowVersion,
} from '../../runtime/workflows/schema.ts'
import { describeTriggers } from '../../runtime/workflows/triggers.ts'
import { allIssues } from '../../runtime/workflows/validate.ts'
import { listVersions, listWorkflows, sortOrders } from '../../runtime/workflows/workflow-store.ts'
import {
  activateWorkflow,
  changeWorkflow,
  createWorkflow,
  deactivateWorkflow,
  duplicateWorkflow,
  removeWorkflow,
  requireOwnWorkflow,
  requireVersion,
  requireWorkflow,
  restoreVersion,
  withChanges,
} from '../../runtime/workflows/workflows.ts'

const workflows = { path: '/api/workflows', require: requireWorkflow } as const
const version = z.coerce.number().int().min(1).max(1_000_000_000)

export const list = endpoint({
  method: 'GET',
  path: '/api/workflows',
  summary: 'List workflows, the latest change first by default',
  query: pageQuery().extend({
    status: z.enum(['all', ...WorkflowStatus.options]).default('all'),
    search: z.string().max(200).optional(),
    tag: z.string().max(50).optional(),
    sort_by: z.enum(Object.keys(sortOrders) as [keyof typeof sortOrders]).default('updated'),
  }),
  returns: listOf('workflows', WorkflowSummary),
  async run({ query }, context) {
    const { status, limit, offset } = query
    const found = await listWorkflows(context, { ...query, status: status === 'all' ? undefined : status })
    return { ...found, limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/workflows',
  summary: 'Create a workflow, as a draft',
  body: NewWorkflow,
  body_optional: true,
  returns: Workflow,
  status: 201,
  run: ({ body }, context) => createWorkflow(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/workflows/{id}',
  summary: 'Get a workflow',
  returns: Workflow,
  async run({ params }, context) {
    return await requireWorkflow(context, params.id)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/workflows/{id}',
  summary: 'Change a workflow; a changed definition is a new version',
  body: WorkflowChanges,
  returns: Workflow,
  before: ({ params }, context) => requireWorkflow(context, params.id),
  run: ({ params, body }, context) => changeWorkflow(context, params.id, body),
})

export const remove = removal({
  path: '/api/workflows/{id}',
  summary: 'Delete a workflow with its versions and executions',
  remove: removeWorkflow,
})

export const activate = verbOf(workflows, 'activate', {
  summary: 'Check a workflow and switch its triggers on',
  returns: Workflow,
  run: activateWorkflow,
})

export const deactivate = verbOf(workflows, 'deactivate', {
  summary: 'Switch the triggers of a workflow off; what runs continues',
  returns: Workflow,
  run: deactivateWorkflow,
})

export const duplicate = verbOf(workflows, 'duplicate', {
  summary: 'Copy a workflow',
  returns: Workflow,
  status: 201,
  run: duplicateWorkflow,
})

export const validate = endpoint({
  method: 'POST',
  path: '/api/workflows/{id}/validate',
  summary: 'Check a workflow, or an unsaved definition of it',
  body: WorkflowChanges,
  before: ({ params }, context) => requireWorkflow(context, params.id),
  body_optional: true,
  returns: z.object({ valid: z.boolean(), issues: z.array(Issue) }),
  async run({ params, body }, context) {
    const workflow = await requireWorkflow(context, params.id)
    const issues = await allIssues(context, withChanges(workflow, body))
    return { valid: issues.every(({ severity }) => severity === 'warning'), issues }
  },
})

export const versions = logOf(workflows, 'versions', {
  summary: 'List the versions of a workflow, newest first',
  item: WorkflowVersion.pick({ workflow_id: true, version: true, created_at: true }),
  rows: listVersions,
})

export const showVersion = endpoint({
  method: 'GET',
  path: '/api/workflows/{id}/versions/{version}',
  summary: 'Get a version of a workflow',
  params: z.object({ id: z.string(), version }),
  returns: WorkflowVersion,
  run: ({ params }, context) => requireVersion(context, params.id, params.version),
})

export const restore = endpoint({
  method: 'POST',
  path: '/api/workflows/{id}/versions/{version}/restore',
  summary: 'Make an earlier version the current one, as a new version',
  params: z.object({ id: z.string(), version }),
  returns: Workflow,
  run: ({ params }, context) => restoreVersion(context, params.id, params.version),
})

export const triggers = endpoint({
  method: 'GET',
  path: '/api/workflows/{id}/triggers',
  summary: 'List what starts a workflow, with the addresses of its webhooks',
  returns: z.object({ triggers: z.array(TriggerInfo), count: z.number().int() }),
  async run({ params }, context) {
    const found = await describeTriggers(context, await requireOwnWorkflow(context, params.id))
    return { triggers: found, count: found.length }
  },
})
