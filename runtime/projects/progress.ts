import type { StoredPhase } from './plan-store.ts'
import type { Phase, Priority, Project } from './schema.ts'
import { isActive, isDone, isUnstarted } from './states.ts'
import type { TaskState } from './task-store.ts'

export interface Progress<Item> {
  /** Tasks that nothing keeps from starting, the most urgent first. */
  ready: Item[]
  /** The first of them, as many as the strategy still allows. */
  start: Item[]
  /** The phase that waits for its owner; null if none does. */
  gate: string | null
  /** How the project has ended; null while something runs, waits or can start. */
  end: { status: 'completed' } | { status: 'failed'; error: string } | null
}

const priorities: Record<(typeof Priority.options)[number], number> = {
  urgent: 0,
  high: 1,
  normal: 2,
  low: 3,
}

/** What follows from the tasks of a project of which `width` may run at once. Pure. */
export function progressOf<Item extends TaskState>(
  phases: readonly Phase[],
  tasks: readonly Item[],
  width: number,
): Progress<Item> {
  const isOpen = new Set(phases.filter(({ status }) => status === 'running').map(({ id }) => id))
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const ready = tasks
    .filter((task) => isUnstarted(task) && isOpen.has(task.phase_id))
    .filter((task) => task.depends_on.map((id) => byId.get(id)).every(holdsNothingUp))
    .sort((left, right) => priorities[left.priority] - priorities[right.priority])
  const running = tasks.filter(isActive).length
  const free = Math.max(0, width - running)
  const gate = phases.find((phase) => phase.status === 'waiting_approval')?.id ?? null
  const isIdle = running === 0 && ready.length === 0 && gate === null
  const blocked = tasks.some((task) => task.status === 'blocked')
  const end = isIdle && !blocked ? endOf(tasks) : null
  return { ready, start: ready.slice(0, free), gate, end }
}

/** A dependency that is not in the plan any more holds nothing up. */
const holdsNothingUp = (needed: TaskState | undefined) => needed === undefined || isDone(needed)

/** The phases with their status, which follows from their tasks. Pure. */
export function phasesOf(
  { status, auto_approve_phases }: Pick<Project, 'status' | 'auto_approve_phases'>,
  stored: readonly StoredPhase[],
  tasks: readonly Pick<TaskState, 'id' | 'phase_id' | 'status'>[],
): Phase[] {
  let isReached = status !== 'pending'
  return stored.map(({ id, order, name, goal, approved_at }, index) => {
    const own = tasks.filter((task) => task.phase_id === id)
    const isComplete = isReached && own.every(isDone)
    const isAllowed = index === 0 || auto_approve_phases || approved_at !== null
    const state = isComplete ? 'completed' : !isReached ? 'pending' : isAllowed ? 'running' : 'waiting_approval'
    isReached &&= isComplete
    return { id, order, name, goal, status: state, task_ids: own.map((task) => task.id) } as Phase
  })
}

function endOf(tasks: readonly TaskState[]): Progress<TaskState>['end'] {
  if (tasks.every(isDone)) return { status: 'completed' }
  const failed = tasks.filter((task) => task.status === 'failed')
  const [first] = failed
  if (!first) return { status: 'failed', error: 'Tasks were cancelled, so the project cannot be completed' }
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  return {
    status: 'failed',
    error: `The task "${first.title}"${others} failed: ${first.error ?? 'no reason given'}`,
  }
}
