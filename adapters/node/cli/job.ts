import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, ShownRun } from '../../../runtime/scheduler/schema.ts'
import { apiCommand, type Client, profileTimes } from './client.ts'
import { type Command, Failure, print } from './command.ts'

const add = apiCommand({
  usage: 'job add <text>',
  what: 'Schedule a job: when it runs, a colon, and what it does',
  options: {
    name: { value: 'name', what: 'Name (default: the beginning of what it does)' },
    agent: { value: 'id', what: 'Agent that does it' },
    deliver: {
      value: 'channel',
      what: 'Where the result goes: none, chat, email or the id of a channel',
      default: 'chat',
    },
    timezone: { value: 'zone', what: 'Time zone of the schedule (default: that of the profile)' },
    json: { what: 'Print the job as JSON' },
  },
  examples: [
    'job add "every weekday at 9: tell me what is new"',
    'job add "in 20 minutes: remind me of the tea"',
  ],
  async run([given = ''], { timezone, name, agent: agent_id, deliver, ...options }, client) {
    const { text, goal } = splitSchedule(given)
    const parsed = await client.post('/api/scheduler/parse-nl', { body: { text, timezone } })
    const { schedule, human_readable, warnings } = parsed
    if (!schedule) throw new Failure(warnings.join('\n'))
    const delivery = { channel: deliver }
    const body = { name: name ?? goal.slice(0, 80), goal, schedule, agent_id, delivery }
    const job = await client.post('/api/scheduler/jobs', { body })
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
    const localTime = await profileTimes(client)
    print(options, job, `${job.id}  ${human_readable}; next ${localTime(job.next_run_at)}`)
  },
})

/** Splits at the first colon that is not part of a time such as 9:30. */
function splitSchedule(given: string): { text: string; goal: string } {
  const [, text = '', goal = ''] = /^(.*?\S)\s*:(?!\d\d(?:\D|$))\s*(.*)$/s.exec(given) ?? []
  if (text && goal) return { text, goal }
  const example = 'hearthd job add "every weekday at 9: tell me what is new"'
  throw new Failure(`Write when it runs, a colon, and what it does: ${example}`, { name: 'usage' })
}

const list = apiCommand({
  usage: 'job ls',
  what: 'List the jobs, the next to run first',
  async run(_, options, client) {
    const jobs = await allJobs(client)
    const localTime = await profileTimes(client)
    const rows = jobs.map(({ id, status, next_run_at, last_status, human_readable, name }) =>
      [
        id.padEnd(30),
        status.padEnd(10),
        localTime(next_run_at).padEnd(17),
        (last_status ?? '–').padEnd(10),
        name.padEnd(24),
        human_readable,
      ].join(' '),
    )
    print(options, { jobs, count: jobs.length }, rows.join('\n') || 'No jobs')
  },
})

/** Milliseconds between two requests for the state of a run. */
const pollRunEvery = 250

const run = apiCommand({
  usage: 'job run <job>',
  what: 'Run a job now and wait for its result (job: id or name)',
  options: {
    detach: { short: 'd', what: 'Do not wait' },
    json: { what: 'Print the run as JSON' },
  },
  async run([name = ''], options, client) {
    const { id } = await findJob(client, name)
    const { run_id } = await client.post('/api/scheduler/jobs/{id}/trigger', { params: { id } })
    const params = { id, run_id }
    let run: ShownRun
    for (;;) {
      run = await client.get('/api/scheduler/jobs/{id}/runs/{run_id}', { params })
      if (options.detach || (run.status !== 'queued' && run.status !== 'running')) break
      await sleep(pollRunEvery)
    }
    print(options, run, run.output ?? run.error ?? `${run.id}: ${run.status}`)
    return options.detach || run.status === 'succeeded' ? 0 : 1
  },
})

/** A command that makes one change to one job. */
const change = <Answer>(
  word: string,
  what: string,
  send: (client: Client, id: string) => Promise<Answer>,
  textOf: (job: Job, answer: Answer, client: Client) => string | Promise<string>,
): Command =>
  apiCommand({
    usage: `job ${word} <job>`,
    what: `${what} (job: id or name)`,
    async run([name = ''], options, client) {
      const job = await findJob(client, name)
      const answer = await send(client, job.id)
      print(options, answer, await textOf(job, answer, client))
    },
  })

const pause = change(
  'pause',
  'Pause a job; the current run finishes',
  (client, id) => client.post('/api/scheduler/jobs/{id}/pause', { params: { id } }),
  ({ name }) => `${name} is paused`,
)

const resume = change(
  'resume',
  'Resume a paused job',
  (client, id) => client.post('/api/scheduler/jobs/{id}/resume', { params: { id } }),
  async (_, { next_run_at }, client) => `Next ${(await profileTimes(client))(next_run_at)}`,
)

const remove = change(
  'rm',
  'Delete a job and its runs; the current run is stopped',
  (client, id) => client.delete('/api/scheduler/jobs/{id}', { params: { id } }),
  ({ name }) => `${name} is deleted`,
)

/** Milliseconds between two requests for new runs. */
const pollRunsEvery = 1_000

const logs = apiCommand({
  usage: 'job logs <job>',
  what: 'Show the latest runs of a job and their results (job: id or name)',
  options: {
    follow: { short: 'f', what: 'Keep printing new runs' },
    lines: { short: 'n', value: 'count', what: 'How many runs', default: '20' },
    json: { what: 'Print each run as a line of JSON' },
  },
  async run([name = ''], options, client) {
    const { id } = await findJob(client, name)
    const limit = Math.min(200, Math.max(1, Math.floor(Number(options.lines)) || 1))
    const printed = new Map<string, string>()
    const localTime = await profileTimes(client)
    for (;;) {
      const { runs } = await client.get('/api/scheduler/jobs/{id}/runs', {
        params: { id },
        query: { limit },
      })
      for (const run of runs.toReversed()) {
        const state = `${run.status} ${run.delivery_status}`
        if (printed.get(run.id) === state) continue
        printed.set(run.id, state)
        process.stdout.write(`${options.json ? JSON.stringify(run) : runLine(run, localTime)}\n`)
      }
      if (!options.follow) return
      await sleep(pollRunsEvery)
    }
  },
})

function runLine(run: ShownRun, localTime: (text: string) => string): string {
  const { scheduled_for, status, trigger, attempt, output, error, delivery_status } = run
  const result = (output ?? error ?? '').replace(/\s+/g, ' ').slice(0, 200)
  const tried = attempt > 1 ? ` (attempt ${attempt})` : ''
  const delivery = delivery_status === 'none' ? '' : ` [${delivery_status}]`
  return `${localTime(scheduled_for)}  ${status.padEnd(10)} ${trigger}${tried}${delivery}  ${result}`
}

const pageSize = 200

async function allJobs(client: Client): Promise<Job[]> {
  const jobs: Job[] = []
  for (;;) {
    const query = { limit: pageSize, offset: jobs.length }
    const page = await client.get('/api/scheduler/jobs', { query })
    jobs.push(...page.jobs)
    if (page.jobs.length < pageSize) return jobs
  }
}

/** The job with this id or name. If several have the name, the id is needed. */
async function findJob(client: Client, given: string): Promise<Job> {
  if (given.startsWith('job_')) return client.get('/api/scheduler/jobs/{id}', { params: { id: given } })
  const named = (await allJobs(client)).filter(({ name }) => name.toLowerCase() === given.toLowerCase())
  const [job, ...more] = named
  if (!job) throw new Failure(`There is no job ${given}; see hearthd job ls`, { name: 'not_found' })
  if (more.length === 0) return job
  const ids = named.map(({ id }) => id).join(', ')
  throw new Failure(`${named.length} jobs are called ${given}; give an id: ${ids}`, { name: 'ambiguous' })
}

export const commands = [add, list, run, pause, resume, remove, logs]
