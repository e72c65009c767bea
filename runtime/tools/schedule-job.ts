import { z } from 'zod'
import { Fault } from '../fault.ts'
import { zoneOfDays } from '../monitoring/budget-limits.ts'
import { addJob } from '../scheduler/jobs.ts'
import { NewJob } from '../scheduler/schema.ts'
import { readWhen } from '../scheduler/when.ts'
import { clipped } from './text.ts'
import { ToolError, tool } from './tool.ts'

/** The job does what this agent may do, no more: its runs ask for what the agent has to ask for. */
export const scheduleJob = tool({
  name: 'schedule_job',
  description:
    'Schedule something for later or again and again: a new run of yours gets the goal when its time comes, in a ' +
    'conversation of its own that knows nothing of this one. Use it for reminders and repeated tasks. Returns the job ' +
    'with its next times.',
  input: z.object({
    name: z.string().trim().min(1).max(200).describe('A few words for the list of jobs'),
    goal: z.string().trim().min(1).max(20_000).describe('What is to be done, complete in itself'),
    when: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe(
        '"tomorrow at 5pm", "in 20 minutes", "every 2 hours", an ISO time, or cron such as 0 9 * * MON-FRI',
      ),
  }),
  effect: () => 'write',
  summary: ({ name, when }) => `Schedule ${clipped(name, 100)}: ${clipped(when, 100)}`,
  async run({ name, goal, when }, { context, agent }) {
    const timezone = await zoneOfDays(context)
    const schedule = await readWhen(when, { now: context.clock.now(), timezone })
    if (!schedule)
      throw new ToolError(
        `${JSON.stringify(when)} names no time to come; give an ISO time or a cron expression`,
      )
    const { execution_mode } = agent
    const delivery = { channel: 'chat' }
    const wish = NewJob.parse({ name, goal, schedule, agent_id: agent.id, execution_mode, delivery })
    const job = await addJob(context, wish).catch((thrown: unknown) => {
      throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
    })
    const { id, status, next_run_at } = job
    return { id, name, schedule: job.schedule, status, next_run_at }
  },
})
