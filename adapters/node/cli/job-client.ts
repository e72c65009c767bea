import type { Job } from '../../../runtime/scheduler/schema.ts'
import type { Client } from './client.ts'
import { Failure } from './command.ts'

/** Characters of an answer that a request may ask for at once. */
const page = 200

export async function allJobs(client: Client): Promise<Job[]> {
  const jobs: Job[] = []
  for (;;) {
    const answer = await client.send('GET', `/api/scheduler/jobs?limit=${page}&offset=${jobs.length}`)
    const found = (await answer.json()) as { jobs: Job[]; total: number }
    jobs.push(...found.jobs)
    if (found.jobs.length < page) return jobs
  }
}

/** The job with that id or name. Of several with one name the id must be given. */
export async function findJob(client: Client, word: string): Promise<Job> {
  if (word.startsWith('job_')) return (await (await client.send('GET', jobPath(word))).json()) as Job
  const named = (await allJobs(client)).filter(({ name }) => name.toLowerCase() === word.toLowerCase())
  const [job, ...more] = named
  if (!job) throw new Failure(`There is no job ${word}; see hearthd job ls`)
  if (more.length > 0)
    throw new Failure(
      `${named.length} jobs are called ${word}; give an id: ${named.map(({ id }) => id).join(', ')}`,
    )
  return job
}

export const jobPath = (id: string, rest = '') => `/api/scheduler/jobs/${encodeURIComponent(id)}${rest}`

/** `2026-01-05 13:00` on the clock of this machine, or `–`. */
export function when(text: string | null): string {
  if (text === null) return '–'
  const at = new Date(text)
  const two = (value: number) => String(value).padStart(2, '0')
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}`
}
