import { z } from 'zod'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import type { NotUnderstood, Understood } from '../english/schedules/draft.ts'
import { parseWords, splitWords } from '../english/schedules/parse.ts'
import { nextRuns } from '../schedules/next-run.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool, trustOf } from '../tools/tool.ts'
import { isSameJson } from '../values.ts'
import { humanReadable, type Viewer } from './describe.ts'
import { findOwnJob, jobsNamed, listJobs as storedJobs } from './job-store.ts'
import { addJob, removeJob } from './jobs.ts'
import { JobStatus, NewJob, ScheduleWords } from './schema.ts'

const Wish = z.object({
  name: NewJob.shape.name.describe('A few words for the list of jobs'),
  goal: NewJob.shape.goal.describe(
    'What to do, understandable without this conversation, as far as possible in the words of the person',
  ),
  when: ScheduleWords.trim()
    .min(1)
    .describe(
      'One schedule in plain words: "tomorrow at 5pm", "in 20 minutes", "every 2 hours", "every weekday at 9", "first Monday of the month at noon"; an ISO time or cron such as 0 9 * * MON-FRI too',
    ),
})
type Wish = z.output<typeof Wish>

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** What a model adds when it turns a request into a goal. */
const filler = new Set(
  words(
    'a an about and at deliver for her him his i is it me message my notify of on owner please remind reminder send tell that ' +
      'the their them they this to user you your',
  ),
)

/** Whether a message names the schedule, and nothing else is to be done then than what it says. */
async function isTypedReminder({ name, goal, when }: Wish, message: string, context: Context): Promise<boolean> {
  const typed = new Set(words(message))
  if (!words(`${name} ${goal}`).every((word) => typed.has(word) || filler.has(word))) return false
  const reference = { now: context.clock.now(), zone: await callerTimeZone(context) }
  const read = await parseWords(when, reference)
  if (!read.ok) return false
  if (` ${words(message).join(' ')} `.includes(` ${words(when).join(' ')} `)) return true
  const typedTime = await splitWords(message, reference, { anywhere: true })
  const timesOf = ({ schedule }: Understood) =>
    nextRuns(schedule, reference.now, { zone: reference.zone, anchor: reference.now, count: 3 })
  return typedTime !== null && isSameJson(timesOf(read), timesOf(typedTime.read))
}

/** The job may do what this agent may do, no more: its runs ask for the same approvals. */
export const scheduleJob = tool({
  name: 'schedule_job',
  description:
    'Schedule something for later, once or repeatedly: a new run of yours gets the goal when it is due, in a ' +
    'conversation of its own that knows nothing of this one. Use it for reminders and repeated tasks. Returns the job ' +
    'with its next times.',
  input: Wish,
  effect: () => 'write',
  // A job costs money later, perhaps repeatedly: only an autonomous agent may create one that nobody typed without asking.
  risk: () => 'high',
  requested: isTypedReminder,
  summary: ({ name, when }) => `Schedule ${clipped(name, 100)}: ${clipped(when, 100)}`,
  async run({ name, goal, when }, scope) {
    const { context, agent } = scope
    const zone = await callerTimeZone(context)
    const now = context.clock.now()
    const read = await parseWords(when, { now, zone })
    if (!read.ok) throw new ToolError(refusal(when, read, { now, zone }))
    const { schedule, warnings } = read
    const { execution_mode } = agent
    const delivery = { channel: 'chat' }
    const wish = NewJob.parse({ name, goal, schedule, agent_id: agent.id, execution_mode, delivery })
    const job = await addJob(context, wish, trustOf(scope))
    const { id, status, next_run_at } = job
    const human_readable = humanReadable(job.schedule, { now, zone })
    return { id, name, schedule: job.schedule, human_readable, status, next_run_at, warnings }
  },
})

function refusal(when: string, { reason, alternatives }: NotUnderstood, viewer: Viewer): string {
  const instead = alternatives.map((schedule) => JSON.stringify(humanReadable(schedule, viewer)))
  const offer = instead.length > 0 ? `. Instead: ${instead.join(' or ')}` : ''
  return `${JSON.stringify(when)} names no future time: ${reason}${offer}. An ISO time or a cron expression works too`
}

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
    const open = jobs.filter((job) => status !== undefined || job.status === 'active' || job.status === 'paused')
    const summaries = open.map(({ id, name, goal, schedule, status, next_run_at, last_status }) => ({
      id,
      name,
      goal: goal.slice(0, 200),
      schedule,
      human_readable: humanReadable(schedule, viewer),
      status,
      next_run_at,
      last_status,
    }))
    return { jobs: summaries, total }
  },
})

const JobName = z.object({
  id: z.string().max(64).optional().describe('The job’s id from list_jobs'),
  name: z.string().max(200).optional().describe('Its name, if you do not know the id'),
})

export const cancelJob = tool({
  name: 'cancel_job',
  description: 'Delete a scheduled job; its current run is stopped. Give its id, or its exact name.',
  input: JobName,
  effect: () => 'write',
  summary: ({ id, name }) => `Cancel the job ${clipped(name ?? id ?? '', 120)}`,
  async run(input, scope) {
    const job = await jobOf(input, scope)
    await removeJob(scope.context, job.id)
    return { cancelled: true, id: job.id, name: job.name }
  },
})

async function jobOf({ id, name }: z.output<typeof JobName>, { context }: ToolScope) {
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
