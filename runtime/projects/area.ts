import { z } from 'zod'
import { defineArea } from '../area.ts'
import { onEvents } from '../events/subscribe.ts'
import type { Host } from '../host.ts'
import { separateUntrusted } from '../untrusted.ts'

const Ended = z.object({ status: z.enum(['completed', 'failed', 'skipped', 'cancelled']) })

/** Counts the tasks of projects that end in this process, by outcome. */
export function countTaskEnds(host: Host): void {
  for (const status of Ended.shape.status.options) host.metrics.count('tasks_total', { status }, 0)
  onEvents(host, host.process.stopping, ({ type, data, foreign }) => {
    if (type !== 'task.updated' || foreign) return
    const { data: ended } = Ended.safeParse(data)
    if (ended) host.metrics.count('tasks_total', ended)
  })
}

export const projectsArea = defineArea({
  name: 'projects',
  references: {
    project: async (context, id) => (await (await import('./project-store.ts')).findShownProject(context, id)) !== null,
    own_project: async (context, id) =>
      (await (await import('./project-store.ts')).findOwnProject(context, id)) !== null,
  },
  async typed_texts(context, { project_id }) {
    if (project_id === null) return []
    const project = await (await import('./project-store.ts')).findProject(context, project_id)
    return project?.trust === 'owner' ? [separateUntrusted(project.description).own] : []
  },
  waiting: async (context) => (await import('./metrics.ts')).waitingProjects(context),
  runs: async (context, filter) => (await import('./metrics.ts')).summarizeRuns(context, filter),
  events: async () => (await import('./events.ts')).projectEvents,
  tables: ['projects', 'project_plans', 'project_phases', 'project_tasks', 'project_worktrees'],
  owned_tables: ['projects'],
  work: {
    'projects.plan': async () => (await import('./planning.ts')).projectPlan,
    'projects.advance': async () => (await import('./advance.ts')).projectAdvance,
    'projects.task_end': async () => (await import('./end-task.ts')).taskEnd,
    'projects.stop': async () => (await import('./cancel.ts')).projectStop,
    'projects.audit': async () => (await import('./audit.ts')).projectAudit,
  },
  async start(host, { alone }) {
    countTaskEnds(host)
    if (alone) await (await import('./worktrees.ts')).pruneWorktrees(host)
  },
  targets: { project: async () => (await import('./target.ts')).projectTarget },
  tools: async () => [(await import('./tool.ts')).project],
})
