import type { Job, Schedule } from '../../../api/scheduler.ts'

/** What a form fills in; the schedule is null until its words are understood. */
export type Draft = Pick<
  Job,
  | 'name'
  | 'goal'
  | 'agent_id'
  | 'delivery'
  | 'condition'
  | 'retry'
  | 'misfire'
  | 'overlap'
  | 'jitter_seconds'
  | 'timeout_seconds'
  | 'max_runs'
  | 'ends_at'
  | 'auto_pause_after'
  | 'execution_mode'
  | 'model'
  | 'budget'
  | 'tags'
> & { schedule: Schedule | null }

/** What every group of fields gets: the values, the messages of a refusal by field, and a way to change. */
export interface Fields {
  values: Draft
  errors: Record<string, string>
  change: (changes: Partial<Draft>) => void
}

/** As the daemon itself would fill it in. */
export const blank: Draft = {
  name: '',
  goal: '',
  schedule: null,
  agent_id: null,
  delivery: { channel: 'none', format: 'text', to: null, url: null },
  condition: null,
  retry: { max_attempts: 1, strategy: 'exponential', base_delay: 60 },
  misfire: { policy: 'run_once', window_seconds: 86_400 },
  overlap: 'skip',
  jitter_seconds: 0,
  timeout_seconds: 3_600,
  max_runs: null,
  ends_at: null,
  auto_pause_after: 10,
  execution_mode: 'auto',
  model: null,
  budget: null,
  tags: [],
}

export function draftOf(job: Job): Draft {
  const kept = Object.keys(blank) as (keyof Draft)[]
  return Object.fromEntries(kept.map((name) => [name, job[name]])) as unknown as Draft
}

/** As it is sent: an agent that nobody chose is left to the daemon. */
export function bodyOf({ agent_id, ...rest }: Partial<Draft>): Record<string, unknown> {
  return { ...rest, ...(agent_id && { agent_id }) }
}

export const copyOf = (job: Job) => bodyOf({ ...draftOf(job), name: `${job.name} (copy)` })

/** A name for a job that was given none: the beginning of its goal. */
export function nameFrom(goal: string): string {
  const [first = ''] = goal.trim().split(/[.!?\n]/)
  const name = first.length > 60 ? `${first.slice(0, 57).trimEnd()}…` : first
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** An emptied number field means "not set". */
export const numberOrNull = (value: number | string) => (value === '' ? null : Number(value))
