import { defineArea } from '../area.ts'
import { countTaskEnds } from './task-metrics.ts'

export const projectsArea = defineArea({
  name: 'projects',
  references: {
    project: async (context, id) =>
      (await (await import('./project-store.ts')).findShownProject(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).projectEvents,
  tables: ['projects', 'project_plans', 'project_phases', 'project_tasks'],
  owned_tables: ['projects'],
  work: {
    'projects.plan': async () => (await import('./planning.ts')).projectPlan,
    'projects.advance': async () => (await import('./advance.ts')).projectAdvance,
    'projects.task_end': async () => (await import('./end-task.ts')).taskEnd,
    'projects.stop': async () => (await import('./cancel.ts')).projectStop,
    'projects.audit': async () => (await import('./audit.ts')).projectAudit,
  },
  start: countTaskEnds,
  targets: { project: async () => (await import('./target.ts')).projectTarget },
  tools: async () => [(await import('./tool.ts')).project],
})
