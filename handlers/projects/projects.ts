import { z } from 'zod'
import type { Context } from '../../runtime/context.ts'
import { lastEventId } from '../../runtime/events/stream.ts'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText, statusFilter } from '../../runtime/http/page.ts'
import { stream } from '../../runtime/http/returns.ts'
import { auditNow } from '../../runtime/projects/audit.ts'
import { cancelProject, removeProject, removeProjects } from '../../runtime/projects/cancel.ts'
import { followProject, streamEvents } from '../../runtime/projects/follow.ts'
import { metricsOf, withProgress } from '../../runtime/projects/metrics.ts'
import { findAudit, listProjects, type ProjectFilter, sortOrders } from '../../runtime/projects/project-store.ts'
import {
  addProject,
  approveProject,
  changeProject,
  duplicateProject,
  requireProject,
  requireShownProject,
  showProject,
} from '../../runtime/projects/projects.ts'
import {
  Audit,
  AuditScope,
  ListedProject,
  Metrics,
  NewProject,
  Project,
  ProjectChanges,
  ProjectDetails,
  ProjectStatus,
} from '../../runtime/projects/schema.ts'
import { reference } from '../../runtime/references.ts'

const projects = {
  path: '/api/projects',
  items: 'projects',
  summaries: {
    list: 'List projects, newest first by default',
    create: 'Create a project',
    show: 'Get a project with its plan, phases and tasks',
    update: 'Change a project',
    remove: 'Delete a project with its tasks and files',
  },
  New: NewProject,
  body_optional: true,
  Changes: ProjectChanges,
  Row: Project,
  Item: ListedProject,
  Details: ProjectDetails,
  query: pageQuery(20).extend({
    status: statusFilter(ProjectStatus.options),
    search: searchText,
    sort_by: z.enum(Object.keys(sortOrders) as [keyof typeof sortOrders]).default('newest'),
  }),
  more: { status_counts: z.record(ProjectStatus, z.int()) },
  async list(context: Context, query: ProjectFilter) {
    const page = await listProjects(context, query)
    return { ...page, rows: await withProgress(context, page.rows) }
  },
  add: addProject,
  require: requireShownProject,
  show: showProject,
  edit: changeProject,
  remove: removeProject,
} as const

export const { list, create, show, update, remove } = endpointsOf(projects)

export const removeMany = endpoint('POST /api/projects/batch/delete', {
  summary: 'Delete several projects',
  body: z.object({ ids: z.array(reference('batch')).min(1).max(200) }),
  returns: z.object({
    deleted: z.array(z.string()),
    failed: z.array(z.object({ id: z.string(), message: z.string() })),
  }),
  run: ({ body }, context) => removeProjects(context, body.ids),
})

export const duplicate = verbOf(projects, 'duplicate', {
  summary: 'Copy a project with its plan, not started',
  status: 201,
  run: duplicateProject,
})

export const approve = verbOf(projects, 'approve', {
  summary: 'Approve the plan and start the project',
  access: 'approve',
  returns: Project.pick({ id: true, status: true, updated_at: true }),
  run: approveProject,
})

export const cancel = verbOf(projects, 'cancel', {
  summary: 'Cancel a project; completed tasks remain',
  run: cancelProject,
  recover: requireProject,
})

export const metrics = endpoint('GET /api/projects/{id}/metrics', {
  summary: 'Get the progress, cost and durations of a project',
  returns: Metrics,
  run: async ({ params }, context) => metricsOf(context, await requireShownProject(context, params.id)),
})

export const events = endpoint('GET /api/projects/{id}/events', {
  summary: 'Follow a project: a snapshot, then every change until it has ended',
  returns: stream(streamEvents),
  async run({ params, request }, context) {
    await requireShownProject(context, params.id)
    return followProject(context, params.id, lastEventId(request))
  },
})

export const audit = verbOf(projects, 'audit', {
  summary: 'Have a model judge the plan or the results',
  body: z.object({ scope: AuditScope.default('result') }),
  body_optional: true,
  returns: Audit,
  run: async (context, id, { scope }) => auditNow(context, await requireProject(context, id), scope),
})

export const showAudit = endpoint('GET /api/projects/{id}/audit', {
  summary: 'Get the latest audit',
  returns: z.object({ audit: Audit.nullable() }),
  async run({ params }, context) {
    await requireShownProject(context, params.id)
    return { audit: await findAudit(context, params.id) }
  },
})
