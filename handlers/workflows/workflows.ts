import { z } from 'zod'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText, statusFilter } from '../../runtime/http/page.ts'
import { noteIssues, openNotes } from '../../runtime/workflows/import-notes.ts'
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
import { findNotes, listVersions, listWorkflows, sortOrders } from '../../runtime/workflows/workflow-store.ts'
import {
  activateWorkflow,
  changeWorkflow,
  createWorkflow,
  deactivateWorkflow,
  duplicateWorkflow,
  Note,
  removeWorkflow,
  requireOwnWorkflow,
  requireVersion,
  requireWorkflow,
  restoreVersion,
  settleNote,
  withChanges,
} from '../../runtime/workflows/workflows.ts'

const workflows = {
  path: '/api/workflows',
  items: 'workflows',
  summaries: {
    list: 'List workflows, the latest change first by default',
    create: 'Create a workflow, as a draft',
    show: 'Get a workflow',
    update: 'Change a workflow; a changed definition is a new version',
    remove: 'Delete a workflow with its versions and executions',
  },
  New: NewWorkflow,
  body_optional: true,
  Changes: WorkflowChanges,
  Row: Workflow,
  Item: WorkflowSummary,
  query: pageQuery().extend({
    status: statusFilter(WorkflowStatus.options),
    search: searchText,
    tag: z.string().max(50).optional(),
    sort_by: z.enum(Object.keys(sortOrders) as [keyof typeof sortOrders]).default('updated'),
  }),
  list: listWorkflows,
  add: createWorkflow,
  require: requireWorkflow,
  edit: changeWorkflow,
  remove: removeWorkflow,
} as const

const version = z.coerce.number().int().min(1).max(1_000_000_000)

export const { list, create, show, update, remove } = endpointsOf(workflows)

export const activate = verbOf(workflows, 'activate', {
  summary: 'Validate a workflow and enable its triggers',
  returns: Workflow,
  run: activateWorkflow,
})

export const deactivate = verbOf(workflows, 'deactivate', {
  summary: 'Disable the triggers of a workflow; running executions continue',
  returns: Workflow,
  run: deactivateWorkflow,
})

export const duplicate = verbOf(workflows, 'duplicate', {
  summary: 'Copy a workflow',
  returns: Workflow,
  status: 201,
  run: duplicateWorkflow,
})

export const settle = verbOf(workflows, 'settle-note', {
  summary: 'Mark a note of the import as done',
  body: Note,
  run: settleNote,
})

export const validate = endpoint('POST /api/workflows/{id}/validate', {
  summary: 'Check a workflow, or an unsaved definition of it',
  body: WorkflowChanges,
  before: ({ params }, context) => requireWorkflow(context, params.id),
  body_optional: true,
  returns: z.object({ valid: z.boolean(), issues: z.array(Issue) }),
  async run({ params, body }, context) {
    const workflow = await requireWorkflow(context, params.id)
    const changed = withChanges(workflow, body)
    const notes = openNotes(await findNotes(context, params.id), workflow, changed)
    const issues = [...(await allIssues(context, changed)), ...noteIssues(notes, changed)]
    return { valid: issues.every(({ severity }) => severity === 'warning'), issues }
  },
})

export const versions = logOf(workflows, 'versions', {
  summary: 'List the versions of a workflow, newest first',
  item: WorkflowVersion.pick({ workflow_id: true, version: true, created_at: true }),
  rows: listVersions,
})

export const showVersion = endpoint('GET /api/workflows/{id}/versions/{version}', {
  summary: 'Get a version of a workflow',
  params: z.object({ id: z.string(), version }),
  returns: WorkflowVersion,
  run: ({ params }, context) => requireVersion(context, params.id, params.version),
})

export const restore = endpoint('POST /api/workflows/{id}/versions/{version}/restore', {
  summary: 'Make an earlier version the current one, as a new version',
  params: z.object({ id: z.string(), version }),
  returns: Workflow,
  run: ({ params }, context) => restoreVersion(context, params.id, params.version),
})

export const triggers = endpoint('GET /api/workflows/{id}/triggers', {
  summary: 'List the triggers of a workflow, with the addresses of its webhooks',
  returns: z.object({ triggers: z.array(TriggerInfo), count: z.int() }),
  async run({ params }, context) {
    const triggers = await describeTriggers(context, await requireOwnWorkflow(context, params.id))
    return { triggers, count: triggers.length }
  },
})
