import { z } from 'zod'
import { callerTimeZone } from '../auth/profile.ts'
import type { NotUnderstood } from '../english/schedules/draft.ts'
import { parseWords } from '../english/schedules/parse.ts'
import { Fault } from '../fault.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, tool, trustOf } from '../tools/tool.ts'
import { humanReadable, type Viewer } from './describe.ts'
import { addJob } from './jobs.ts'
import { NewJob } from './schema.ts'

/** The job may do what this agent may do, no more: its runs ask for the same approvals. */
export const scheduleJob = tool({
  name: 'schedule_job',
  description:
    'Schedule something for later, once or repeatedly: a new run of yours gets the goal when it is due, in a ' +
    'conversation of its own that knows nothing of this one. Use it for reminders and repeated tasks. Returns the job ' +
    'with its next times.',
  input: z.object({
    name: z.string().trim().min(1).max(200).describe('A few words for the list of jobs'),
    goal: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe('What to do, understandable without this conversation'),
    when: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe(
        'One schedule in plain words: "tomorrow at 5pm", "in 20 minutes", "every 2 hours", "every weekday at 9", "first Monday of the month at noon"; an ISO time or cron such as 0 9 * * MON-FRI too',
      ),
  }),
  effect: () => 'write',
  // A job costs money later, perhaps repeatedly: only an autonomous agent may create one without asking.
  risk: () => 'high',
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
    const job = await addJob(context, wish, trustOf(scope)).catch((thrown: unknown) => {
      throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
    })
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
