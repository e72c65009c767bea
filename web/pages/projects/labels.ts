import type { PhaseStatus, Plan, Project, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { duration, money } from '../../parts/numbers.ts'
import type { Status } from '../../parts/status.tsx'
import { statusesOf } from '../../parts/statuses.ts'

export const projectStatus = statusesOf<Project['status']>({ pending: 'Not started' })

export const needsYou: Status = { label: 'Needs you', color: 'yellow' }

export const taskStatus = statusesOf<Task['status']>(
  {
    pending: 'Waiting',
    waiting_approval: 'Needs approval',
    blocked: 'Needs an answer',
  },
  { ready: 'gray' },
)

/** The label of a task; a running one may wait for a vendor. */
export const taskLabel = ({ status, waiting }: Pick<Task, 'status' | 'waiting'>): Status =>
  waiting ? { label: 'Waiting for the provider', color: 'gray' } : taskStatus(status)

export const phaseStatus = statusesOf<(typeof PhaseStatus.options)[number]>({
  pending: 'Not started',
  waiting_approval: 'Needs approval',
})

export const planStatus = statusesOf<Plan['status']>({
  pending_approval: 'Needs approval',
  superseded: 'Replaced',
})

/** How far a project is and what it has cost, in USD. */
export function progressOf({ tasks }: Pick<ProjectDetails, 'tasks'>) {
  const done = tasks.filter(({ status }) => status === 'completed' || status === 'skipped').length
  return {
    done,
    total: tasks.length,
    percent: tasks.length === 0 ? 0 : Math.round((done / tasks.length) * 100),
    cost: tasks.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  }
}

export function estimateText({ cost_usd, minutes }: { cost_usd: number | null; minutes: number }): string {
  const cost = cost_usd ? `about ${money(cost_usd)}` : cost_usd === 0 ? 'no cost' : 'price unknown'
  return `estimate: ${duration(minutes * 60)}, ${cost}`
}
