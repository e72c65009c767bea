import { setTimeout as wait } from 'node:timers/promises'
import type { ShownRun } from '../../../runtime/scheduler/run-schema.ts'
import type { Job, Schedule } from '../../../runtime/scheduler/schema.ts'
import type { Client } from './client.ts'
import { type Command, Failure, type Options, print, textOption } from './command.ts'
import { keyOption, withClient } from './features-client.ts'

const jsonOption: [string, string] = ['--json', 'Print JSON']

const add: Command = {
  usage: 'job add <text>',
  what: 'Schedule a job: when it runs, a colon, and what it does',
  options: [
    ['--name', 'Its name (default: the beginning of what it does)'],
    ['--agent', 'Id of the agent'],
    ['--deliver', 'Where the result goes: none, chat, email', 'chat'],
    ['--timezone', 'Time zone of the schedule (default: that of the profile)'],
    keyOption,
    ['--json', 'Print the job as JSON'],
  ],
  examples: [
    'job add "every weekday at 9: tell me what is new"',
    'job add "in 20 minutes: remind me of the tea"',
  ],
  async run([input = ''], options) {
    const { text, goal } = splitInput(input)
    const timezone = textOption(options, 'timezone')
    const { job, parsed } = await withClient(options, async (client) => {
      const parsed = await json<{ schedule: Schedule; human_readable: string; warnings: string[] }>(
        client.send('POST', '/api/scheduler/parse-nl', { text, timezone }),
      )
      const job = await json<Job>(
        client.send('POST', '/api/scheduler/jobs', {
          name: textOption(options, 'name') ?? goal.slice(0, 80),
          goal,
          schedule: parsed.schedule,
          agent_id: textOption(options, 'agent'),
          delivery: { channel: textOption(options, 'deliver') },
        }),
      )
      return { job, parsed }
    })
    for (const warning of parsed.warnings) process.stderr.write(`${warning}\n`)
    print(options, job, `${job.id}  ${parsed.human_readable}; next ${localTime(job.next_run_at)}`)
    return 0
  },
}

/** Splits at the first colon that is not part of a time such as 9:30. */
function splitInput(input: string): { text: string; goal: string } {
  const [, text = '', goal = ''] = /^(.*?\S)\s*:(?!\d\d(?:\D|$))\s*(.*)$/s.exec(input) ?? []
  if (text && goal) return { text, goal }
  throw new Failure('Say when, a colon, and what: hearthd job add "every weekday at 9: tell me what is new"')
}

const ls: Command = {
  usage: 'job ls',
  what: 'List jobs, the next to run first',
  options: [keyOption, jsonOption],
  async run(_, options) {
    const jobs = await withClient(options, allJobs)
    print(options, { jobs, count: jobs.length }, jobs.map(jobLine).join('\n') || 'No jobs')
    return 0
  },
}

const jobLine = ({ id, status, next_run_at, last_status, human_readable, name }: Job): string =>
  [
    id.padEnd(30),
    status.padEnd(10),
    localTime(next_run_at).padEnd(17),
    (last_status ?? '–').padEnd(10),
    name.padEnd(24),
    human_readable,
  ].join(' ')

const run: Command = {
  usage: 'job run <job>',
  what: 'Run a job now and wait for its result (by id or name)',
  options: [['-d, --detach', 'Do not wait'], keyOption, ['--json', 'Print the run as JSON']],
  async run([name = ''], options) {
    const run = await withClient(options, async (client) => {
      const { id } = await findJob(client, name)
      const { run_id } = await json<{ run_id: string }>(client.send('POST', jobPath(id, '/trigger')))
      for (;;) {
        const run = await json<ShownRun>(client.send('GET', jobPath(id, `/runs/${run_id}`)))
        if (options.detach === true || !['queued', 'running'].includes(run.status)) return run
        await wait(250)
      }
    })
    print(options, run, run.output ?? run.error ?? `${run.id}: ${run.status}`)
    return run.status === 'succeeded' || options.detach === true ? 0 : 1
  },
}

const pause = oneJob('pause', 'Pause a job; the current run finishes', async (client, job) => ({
  answer: await json(client.send('POST', jobPath(job.id, '/pause'))),
  text: `${job.name} is paused`,
}))

const resume = oneJob('resume', 'Resume a paused job', async (client, job) => {
  const answer = await json<Job>(client.send('POST', jobPath(job.id, '/resume')))
  return { answer, text: `Next ${localTime(answer.next_run_at)}` }
})

const rm = oneJob('rm', 'Delete a job and its runs; the current run is stopped', async (client, job) => ({
  answer: await json(client.send('DELETE', jobPath(job.id))),
  text: `${job.name} is deleted`,
}))

function oneJob(
  word: string,
  what: string,
  act: (client: Client, job: Job) => Promise<{ answer: unknown; text: string }>,
): Command {
  return {
    usage: `job ${word} <job>`,
    what: `${what} (by id or name)`,
    options: [keyOption, jsonOption],
    async run([name = ''], options) {
      const { answer, text } = await withClient(options, async (client) =>
        act(client, await findJob(client, name)),
      )
      print(options, answer, text)
      return 0
    },
  }
}

const logs: Command = {
  usage: 'job logs <job>',
  what: 'Show the latest runs of a job with their results (by id or name)',
  options: [
    ['-f, --follow', 'Keep printing new runs'],
    ['-n, --lines', 'Number of runs', 20],
    keyOption,
    ['--json', 'Print each run as a line of JSON'],
  ],
  async run([name = ''], options) {
    await withClient(options, async (client) => {
      const { id } = await findJob(client, name)
      const printed = new Map<string, string>()
      do {
        for (const run of await latestRuns(client, id, Number(options.lines))) printRun(run, printed, options)
        if (options.follow) await wait(1_000)
      } while (options.follow)
    })
    return 0
  },
}

/** Oldest first. */
async function latestRuns(client: Client, id: string, count: number): Promise<ShownRun[]> {
  const limit = Math.min(pageSize, Math.max(1, Math.floor(count) || 1))
  const { runs } = await json<{ runs: ShownRun[] }>(client.send('GET', jobPath(id, `/runs?limit=${limit}`)))
  return runs.reverse()
}

/** Prints a run once, and again when its status has changed. */
function printRun(run: ShownRun, printed: Map<string, string>, options: Options): void {
  const { id, scheduled_for, status, trigger, attempt, output, error, delivery_status } = run
  const state = `${status} ${delivery_status}`
  if (printed.get(id) === state) return
  printed.set(id, state)
  const result = (output ?? error ?? '').replace(/\s+/g, ' ').slice(0, 200)
  const tried = attempt > 1 ? ` (try ${attempt})` : ''
  const delivery = delivery_status === 'none' ? '' : ` [${delivery_status}]`
  const line = `${localTime(scheduled_for)}  ${status.padEnd(10)} ${trigger}${tried}${delivery}  ${result}`
  process.stdout.write(`${options.json ? JSON.stringify(run) : line}\n`)
}

/** Largest page that the API returns. */
const pageSize = 200

async function allJobs(client: Client): Promise<Job[]> {
  const jobs: Job[] = []
  for (;;) {
    const path = `/api/scheduler/jobs?limit=${pageSize}&offset=${jobs.length}`
    const page = await json<{ jobs: Job[] }>(client.send('GET', path))
    jobs.push(...page.jobs)
    if (page.jobs.length < pageSize) return jobs
  }
}

/** Finds a job by id or name. Several with the same name need the id. */
async function findJob(client: Client, name: string): Promise<Job> {
  if (name.startsWith('job_')) return json<Job>(client.send('GET', jobPath(name)))
  const found = (await allJobs(client)).filter((job) => job.name.toLowerCase() === name.toLowerCase())
  const [job, ...more] = found
  if (!job) throw new Failure(`There is no job ${name}; see hearthd job ls`)
  if (more.length === 0) return job
  const ids = found.map(({ id }) => id).join(', ')
  throw new Failure(`${found.length} jobs are named ${name}; use an id: ${ids}`)
}

const jobPath = (id: string, rest = '') => `/api/scheduler/jobs/${encodeURIComponent(id)}${rest}`

const json = async <Answer>(response: Promise<Response>) => (await response).json() as Promise<Answer>

/** `2026-01-05 13:00` in the time zone of this machine; `–` for null. */
const localTime = (time: string | null): string =>
  time === null ? '–' : new Date(time).toLocaleString('sv-SE').slice(0, 16)

export const commands: readonly Command[] = [add, ls, run, pause, resume, rm, logs]
