import { z } from 'zod'
import { callerTimeZone } from '../auth/profile.ts'
import { tool } from '../tools/tool.ts'
import { humanReadable } from './describe.ts'
import { listJobs as storedJobs } from './job-store.ts'
import { JobStatus } from './schema.ts'

export const listJobs = tool({
  name: 'list_jobs',
  description:
    'List the scheduled jobs by their next run, with status and next times. Use it before you cancel one, or when you ' +
    'are asked what is planned.',
  input: z.object({ status: JobStatus.optional().describe('Omitted for all that are not finished') }),
  summary: () => 'List the scheduled jobs',
  async run({ status }, { context }) {
    const { rows: jobs, total } = await storedJobs(context, { status, limit: 100, offset: 0 })
    const viewer = { zone: await callerTimeZone(context), now: context.clock.now() }
    const open = jobs.filter(
      (job) => status !== undefined || job.status === 'active' || job.status === 'paused',
    )
    const shown = open.map(({ id, name, goal, schedule, status, next_run_at, last_status }) => ({
      id,
      name,
      goal: goal.slice(0, 200),
      schedule,
      human_readable: humanReadable(schedule, viewer),
      status,
      next_run_at,
      last_status,
    }))
    return { jobs: shown, total }
  },
})
