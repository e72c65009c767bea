import { z } from 'zod'
import { lastEventId } from '../../runtime/events/stream.ts'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { stream } from '../../runtime/http/returns.ts'
import { auditNow } from '../../runtime/projects/audit.ts'
import { cancelProject, removeProject, removeProjects } from '../../runtime/projects/cancel.ts'
import { followProject, streamEvents } from '../../runtime/projects/follow.ts'
import { metricsOf, withProgress } from '../../runtime/projects/metrics.ts'
import { findAudit, listProjects, sortOrders } from '../../runtime/projects/project-store.ts'
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

const projects = { path: '/api/projects' } as const

const Counts = z.object({
  pending: z.number().int(),
  running: z.number().int(),
  completed: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
})

export const list = endpoint({
  method: 'GET',
  path: '/api/projects',
  summary: 'List projects, newest first by default',
  query: pageQuery(20).extend({
    status: z.enum(['all', ...ProjectStatus.options]).default('all'),
    search: z.string().max(200).optional(),
    sort_by: z.enum(Object.keys(sortOrders) as [keyof typeof sortOrders]).default('newest'),
  }),
  returns: listOf('projects', ListedProject).extend({ status_counts: Counts }),
  async run({ query }, context) {
    const { status, limit, offset } = query
    const found = await listProjects(context, { ...query, status: status === 'all' ? undefined : status })
    return { ...found, projects: await withProgress(context, found.projects), limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/projects',
  summary: 'Create a project',
  body: NewProject,
  body_optional: true,
  returns: Project,
  status: 201,
  run: ({ body }, context) => addProject(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/projects/{id}',
  summary: 'Get a project with its plan, phases and tasks',
  returns: ProjectDetails,
  run: ({ params }, context) => showProject(context, params.id),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/projects/{id}',
  summary: 'Change a project',
  body: ProjectChanges,
  before: ({ params }, context) => requireShownProject(context, params.id),
  returns: Project,
  run: ({ params, body }, context) => changeProject(context, params.id, body),
})

export const remove = removal({
  path: '/api/projects/{id}',
  summary: 'Delete a project with its tasks and files',
  remove: removeProject,
})

export const removeMany = endpoint({
  method: 'POST',
  path: '/api/projects/batch/delete',
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
  returns: Project,
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
  returns: Project,
  run: cancelProject,
  recover: requireProject,
})

export const metrics = endpoint({
  method: 'GET',
  path: '/api/projects/{id}/metrics',
  summary: 'Get the progress, cost and durations of a project',
  returns: Metrics,
  async run({ params }, context) {
    return metricsOf(context, await requireShownProject(context, params.id))
  },
})

export const events = endpoint({
  method: 'GET',
  path: '/api/projects/{id}/events',
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

export const showAudit = endpoint({
  method: 'GET',
  path: '/api/projects/{id}/audit',
  summary: 'Get the latest audit',
  returns: z.object({ audit: Audit.nullable() }),
  async run({ params }, context) {
    await requireShownProject(context, params.id)
    return { audit: await findAudit(context, params.id) }
  },
})
