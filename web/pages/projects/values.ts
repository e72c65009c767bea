import type { Project, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import type { InputOf } from '../../api/client.ts'
import { duration, money } from '../../parts/numbers.ts'
import { nameFrom } from '../../parts/text.ts'

/** The fields of the project form. */
export type ProjectValues = Pick<
  Project,
  | 'name'
  | 'description'
  | 'strategy'
  | 'auto_approve_plan'
  | 'auto_approve_phases'
  | 'decision_mode'
  | 'agent_id'
> & {
  /** Only of a new project; empty for its own folder. */
  path: string
  project_usd: number | null
  task_usd: number | null
}

export const newProject: ProjectValues = {
  name: '',
  description: '',
  strategy: 'performance',
  auto_approve_plan: false,
  auto_approve_phases: true,
  decision_mode: 'agent',
  agent_id: null,
  path: '',
  project_usd: null,
  task_usd: null,
}

export const valuesOf = ({ budget, ...project }: Project): ProjectValues => ({
  name: project.name,
  description: project.description,
  strategy: project.strategy,
  auto_approve_plan: project.auto_approve_plan,
  auto_approve_phases: project.auto_approve_phases,
  decision_mode: project.decision_mode,
  agent_id: project.agent_id,
  path: project.path ?? '',
  ...budget,
})

export const bodyOf = ({
  project_usd,
  task_usd,
  name,
  path,
  ...values
}: ProjectValues): NonNullable<InputOf<'POST', '/api/projects'>['body']> => ({
  ...values,
  name: name.trim() || nameFrom(values.description) || 'Untitled',
  path: path.trim() || null,
  budget: { project_usd, task_usd },
})

const isDone = ({ status }: Task) => status === 'completed' || status === 'skipped'

/** How far a project is and what it has cost, in USD. */
export function progressOf({ tasks }: Pick<ProjectDetails, 'tasks'>) {
  const done = tasks.filter(isDone).length
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
