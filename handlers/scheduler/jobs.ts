import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { listJobs, publicJob } from '../../runtime/scheduler/job-store.ts'
import {
  addJob,
  changeJob,
  pauseJob,
  removeJob,
  requireJob,
  resumeJob,
} from '../../runtime/scheduler/jobs.ts'
import { triggerJob } from '../../runtime/scheduler/runs.ts'
import { Job, JobChanges, JobStatus, NewJob } from '../../runtime/scheduler/schema.ts'

const place = { path: '/api/scheduler/jobs' } as const

export const list = endpoint({
  method: 'GET',
  path: '/api/scheduler/jobs',
  summary: 'List jobs, the next to run first',
  query: pageQuery().extend({ status: JobStatus.optional(), search: z.string().max(200).optional() }),
  returns: z.object({ jobs: z.array(Job), count: z.number().int(), total: z.number().int() }),
  async run({ query }, context) {
    const { rows: jobs, total } = await listJobs(context, query)
    return { jobs: jobs.map(publicJob), count: jobs.length, total }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/scheduler/jobs',
  summary: 'Schedule a job',
  body: NewJob,
  returns: Job,
  status: 201,
  async run({ body }, context) {
    return addJob(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/scheduler/jobs/{id}',
  summary: 'Get a job',
  returns: Job,
  async run({ params }, context) {
    return publicJob(await requireJob(context, params.id))
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/scheduler/jobs/{id}',
  summary: 'Change a job; a new schedule counts from now',
  body: JobChanges,
  before: ({ params }, context) => requireJob(context, params.id),
  returns: Job,
  async run({ params, body }, context) {
    return changeJob(context, params.id, body)
  },
})

export const remove = removal({
  path: '/api/scheduler/jobs/{id}',
  summary: 'Delete a job and its runs; the current run is stopped',
  remove: removeJob,
})

export const pause = verbOf(place, 'pause', {
  summary: 'Pause a job; the current run finishes',
  returns: Job,
  run: pauseJob,
})

export const resume = verbOf(place, 'resume', {
  summary: 'Resume a paused job with its next due time',
  returns: Job,
  run: resumeJob,
})

export const trigger = verbOf(place, 'trigger', {
  summary: 'Run a job now, regardless of its schedule and condition',
  returns: z.object({ run_id: z.string() }),
  run: triggerJob,
})
