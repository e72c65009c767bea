import { z } from 'zod'
import type { Context } from './context.ts'

/** A run of something that works by itself, whatever it is, in the words of its area. */
export const RunSummary = z.object({
  kind: z.enum(['chat', 'project', 'job', 'loop', 'workflow', 'hook', 'webhook']),
  /** Of what runs: a conversation, project, job, loop, workflow, hook or incoming webhook. */
  id: z.string(),
  run_id: z.string(),
  name: z.string(),
  status: z.string(),
  /** Its error or progress. */
  detail: z.string().nullable(),
  at: z.string(),
  /** The page of the web UI that shows it. */
  href: z.string(),
})
export type RunSummary = z.output<typeof RunSummary>

export interface RunsFilter {
  /** `open`: has not ended. `failed`: ended with an error, or is paused because of one. `all`: also those that ended well. */
  state: 'open' | 'failed' | 'all'
  /** Runs that began or ended before are left out; `open` has them too. */
  since: string
  limit: number
}

/** `started_id`: the `run_id` of what it has started, which is listed instead. */
export type ListedRun = RunSummary & { started_id?: string | null }

/** The caller's runs in every area, the latest first; at most `limit` of each kind. */
export async function runsOf(context: Context, filter: RunsFilter): Promise<RunSummary[]> {
  const runs = (await Promise.all(context.areas.map((area) => area.runs?.(context, filter) ?? []))).flat()
  const ids = new Set<unknown>(runs.map(({ run_id }) => run_id))
  return runs
    .flatMap(({ started_id, ...run }) => (ids.has(started_id) ? [] : [run]))
    .sort((left, right) => right.at.localeCompare(left.at))
}
