import { z } from 'zod'
import type { Context } from '../../runtime/context.ts'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { pageQuery, searchText } from '../../runtime/http/page.ts'
import { type JobFilter, listJobs, publicJob, type StoredJob } from '../../runtime/scheduler/job-store.ts'
import { addJob, changeJob, pauseJob, removeJob, requireJob, resumeJob } from '../../runtime/scheduler/jobs.ts'
import { triggerJob } from '../../runtime/scheduler/runs.ts'
import { Job, JobChanges, JobStatus, NewJob } from '../../runtime/scheduler/schema.ts'

const jobs = {
  path: '/api/scheduler/jobs',
  items: 'jobs',
  summaries: {
    list: 'List jobs, the next to run first',
    create: 'Schedule a job',
    show: 'Get a job',
    update: 'Change a job; a new schedule counts from now',
    remove: 'Delete a job and its runs; the current run is stopped',
  },
  New: NewJob,
  Changes: JobChanges,
  Row: Job,
  query: pageQuery().extend({ status: JobStatus.optional(), search: searchText }),
  more: { count: z.int() },
  async list(context: Context, query: JobFilter) {
    const { rows, total } = await listJobs(context, query)
    return { rows: rows.map(publicJob), count: rows.length, total }
  },
  add: addJob,
  require: requireJob,
  show: (_: Context, job: StoredJob) => publicJob(job),
  edit: changeJob,
  remove: removeJob,
} as const

export const { list, create, show, update, remove } = endpointsOf(jobs)

export const pause = verbOf(jobs, 'pause', { summary: 'Pause a job; the current run finishes', run: pauseJob })

export const resume = verbOf(jobs, 'resume', { summary: 'Resume a paused job with its next due time', run: resumeJob })

export const trigger = verbOf(jobs, 'trigger', {
  summary: 'Run a job now, regardless of its schedule and condition',
  returns: z.object({ run_id: z.string() }),
  run: triggerJob,
})
