import type { PhaseStatus, Priority, Project, Strategy, Task } from '../../../runtime/projects/schema.ts'
import type { Status } from '../../parts/status.tsx'

export const projectLabels: Record<Project['status'], Status> = {
  pending: { label: 'Not started', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  completed: { label: 'Completed', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

export const needsYou: Status = { label: 'Needs you', color: 'yellow' }

export const taskLabels: Record<Task['status'], Status> = {
  pending: { label: 'Waiting', color: 'gray' },
  ready: { label: 'Ready', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  waiting_approval: { label: 'Needs approval', color: 'yellow' },
  blocked: { label: 'Needs an answer', color: 'yellow' },
  completed: { label: 'Completed', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  skipped: { label: 'Skipped', color: 'gray' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

/** The label of a task; a running one may wait for a vendor. */
export const taskLabel = ({ status, waiting }: Pick<Task, 'status' | 'waiting'>): Status =>
  waiting ? { label: 'Waiting for the provider', color: 'gray' } : taskLabels[status]

export const phaseLabels: Record<(typeof PhaseStatus.options)[number], Status> = {
  pending: { label: 'Not started', color: 'gray' },
  waiting_approval: { label: 'Needs approval', color: 'yellow' },
  running: { label: 'Running', color: 'ember' },
  completed: { label: 'Completed', color: 'teal' },
}

export const priorityLabels: Record<(typeof Priority.options)[number], string> = {
  low: 'Low',
  normal: 'Normal',
  high: 'High',
  urgent: 'Urgent',
}

export const strategyLabels: Record<Strategy, { label: string; description: string }> = {
  performance: { label: 'Fast', description: 'Up to eight tasks at once. Results are not reviewed.' },
  balanced: {
    label: 'Balanced',
    description: 'Up to four tasks at once. Each result is checked against its acceptance criteria.',
  },
  economy: { label: 'Economical', description: 'As few tasks as possible, one at a time.' },
  thorough: {
    label: 'Thorough',
    description: 'Two tasks at once. Each result is checked, and the finished project is audited.',
  },
}

export const decisionLabels: Record<Project['decision_mode'], { label: string; description: string }> = {
  agent: { label: 'The agent decides', description: 'It records in its report what it decided and why.' },
  human: { label: 'Ask me', description: 'A task with an open question waits for your answer.' },
}
