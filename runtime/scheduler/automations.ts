import { type Automation, maxAutomations } from '../automation.ts'
import type { Context } from '../context.ts'
import { chainsAsAutomations } from './chain-store.ts'
import { listJobs, publicJob } from './job-store.ts'

/** Jobs and chains as all areas list their automations. */
export async function listAutomations(context: Context): Promise<Automation[]> {
  const { rows } = await listJobs(context, { limit: maxAutomations, offset: 0 })
  const jobs = rows.map(publicJob).map((job) => ({
    ...{ kind: 'job' as const, id: job.id, name: job.name, starts: [job.human_readable], does: job.goal },
    ...{ enabled: job.status === 'active', last_run_at: job.last_run_at, last_status: job.last_status },
    ...{ next_run_at: job.next_run_at, href: `/scheduler/${job.id}` },
  }))
  return [...jobs, ...(await chainsAsAutomations(context))]
}
