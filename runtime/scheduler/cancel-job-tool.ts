import { z } from 'zod'
import { clipped } from '../tools/text.ts'
import type { ToolScope } from '../tools/tool.ts'
import { ToolError, tool } from '../tools/tool.ts'
import { findOwnJob, jobsNamed } from './job-store.ts'
import { removeJob } from './jobs.ts'

const Input = z.object({
  id: z.string().max(64).optional().describe('The job’s id from list_jobs'),
  name: z.string().max(200).optional().describe('Its name, if you do not know the id'),
})

export const cancelJob = tool({
  name: 'cancel_job',
  description: 'Delete a scheduled job; its current run is stopped. Give its id, or its exact name.',
  input: Input,
  effect: () => 'write',
  summary: ({ id, name }) => `Cancel the job ${clipped(name ?? id ?? '', 120)}`,
  async run(input, scope) {
    const job = await jobOf(input, scope)
    await removeJob(scope.context, job.id)
    return { cancelled: true, id: job.id, name: job.name }
  },
})

async function jobOf({ id, name }: z.output<typeof Input>, { context }: ToolScope) {
  if (id !== undefined) {
    const job = await findOwnJob(context, id)
    if (job) return job
    throw new ToolError(`No job has the id ${id}; use list_jobs to see them`)
  }
  if (name === undefined) throw new ToolError('Give the id or the name of a job; use list_jobs to see them')
  const [job, another] = await jobsNamed(context, name)
  if (!job) throw new ToolError(`No job is named ${JSON.stringify(name)}; use list_jobs to see them`)
  if (another) throw new ToolError('Several jobs have that name; use list_jobs and give the id')
  return job
}
