import type { TaskStatus } from './schema.ts'

type Stated = { status: TaskStatus }

/** Nothing waits for it any more: what depends on it may start. */
export const isDone = ({ status }: Stated): boolean => status === 'completed' || status === 'skipped'

/** Nothing more happens to it unless a person retries it. */
export const isEnded = (task: Stated): boolean =>
  isDone(task) || task.status === 'failed' || task.status === 'cancelled'

/** An agent works on the task, or its turn waits for an approval. */
export const isActive = ({ status }: Stated): boolean => status === 'running' || status === 'waiting_approval'

export const isUnstarted = ({ status }: Stated): boolean => status === 'pending' || status === 'ready'
