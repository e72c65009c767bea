import { create } from '../../handlers/scheduler/jobs.ts'
import { list } from '../../handlers/scheduler/runs.ts'
import type { Host } from '../../runtime/host.ts'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { call } from './call.ts'

/** Schedules a job through its endpoint. */
export async function newJob(host: Host, own: Record<string, unknown> = {}): Promise<Job> {
  const schedule = { type: 'every', interval: 3_600 }
  const response = await call(create, host, { body: { name: 'Job', goal: 'Say hello', schedule, ...own } })
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
  return response.json()
}

/** Runs of a job, oldest first. */
export async function runsOf(host: Host, { id }: Pick<Job, 'id'>): Promise<ShownRun[]> {
  const response = await call(list, host, { params: { id }, query: { limit: '200' } })
  const { runs } = (await response.json()) as { runs: ShownRun[] }
  return runs.reverse()
}
