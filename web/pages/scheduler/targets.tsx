import type { Job } from '../../../runtime/scheduler/schema.ts'
import type { TargetKind } from '../../../runtime/schedules/targets.ts'
import { useEndpoint } from '../../api/query.ts'
import { TextLink } from '../../parts/typography.tsx'

/** What a job can start besides an agent. */
type Kind = Exclude<TargetKind, 'agent' | 'webhook'>

export interface TargetText {
  label: string
  /** The field that names it. */
  field: string
  path: string
  /** What happens if one is chosen. */
  hint: string
  /** What happens if none is chosen; null if one is required. */
  otherwise: string | null
  /** Address of what a run has started. */
  started: (target: Job['target'], started_id: string) => string
  /** The task of the job if one is chosen; people read it in lists. */
  goal: (name: string) => string
}

export const targets: Record<Kind, TargetText> = {
  project: {
    label: 'A project',
    field: 'Project',
    path: '/projects',
    hint: 'Each run copies the project and carries out its approved plan.',
    otherwise: 'Each run plans a new project from the task; its plan waits for your approval.',
    started: (_, started_id) => `/projects/${started_id}`,
    goal: (name) => `Repeat the project ${name}`,
  },
  loop: {
    label: 'A loop',
    field: 'Loop',
    path: '/loops',
    hint: 'Each run starts the loop again, with its own goal, agent and limits.',
    otherwise: null,
    started: ({ id }, started_id) => `/loops/${id}/runs?run=${started_id}`,
    goal: (name) => `Run the loop ${name}`,
  },
  workflow: {
    label: 'A workflow',
    field: 'Workflow',
    path: '/workflows',
    hint: 'Each run executes the workflow from its start.',
    otherwise: null,
    started: ({ id }, started_id) => `/workflows/${id}?execution=${started_id}`,
    goal: (name) => `Run the workflow ${name}`,
  },
}

export const isTarget = (kind: TargetKind): kind is Kind => kind in targets

/** What a job of this kind can start. */
export function useTargets(kind: TargetKind): { id: string; name: string }[] {
  const query = { limit: 200 }
  const projects = useEndpoint('/api/projects', { query }, { enabled: kind === 'project' }).data?.projects
  const loops = useEndpoint('/api/loops', { query }, { enabled: kind === 'loop' }).data?.loops
  const workflows = useEndpoint('/api/workflows', { query }, { enabled: kind === 'workflow' }).data?.workflows
  if (!isTarget(kind)) return []
  // Only an approved plan can be repeated.
  const repeatable = projects?.filter(({ status }) => status !== 'pending')
  return { project: repeatable, loop: loops, workflow: workflows }[kind] ?? []
}

/** What a job starts, as a link; nothing for an agent. */
export function TargetLink({ job: { target } }: { job: Pick<Job, 'target'> }) {
  const items = useTargets(target.kind)
  if (!isTarget(target.kind)) return null
  const { path, field } = targets[target.kind]
  const name = items.find(({ id }) => id === target.id)?.name
  if (target.id === null) return <>New {field.toLowerCase()}</>
  return (
    <TextLink href={`${path}/${target.id}`} inherit>
      {field}: {name ?? target.id}
    </TextLink>
  )
}
