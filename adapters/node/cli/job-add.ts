import type { Job, Schedule } from '../../../runtime/scheduler/schema.ts'
import { type Command, Failure, print, textOption } from './command.ts'
import { keyOption, withClient } from './features-client.ts'
import { when } from './job-client.ts'

interface Reading {
  schedule: Schedule
  human_readable: string
  warnings: string[]
}

export const command: Command = {
  usage: 'job add <words>',
  what: 'Schedule a job: when it runs, a colon, and what it does',
  options: [
    ['--name', 'Its name (default the beginning of what it does)'],
    ['--agent', 'Id of the agent'],
    ['--deliver', 'Where the result goes: none, chat, email', 'chat'],
    ['--timezone', 'Zone of the schedule (default that of the profile)'],
    keyOption,
    ['--json', 'Print the job as JSON'],
  ],
  examples: [
    'job add "every weekday at 9: tell me what is new"',
    'job add "in 20 minutes: remind me of the tea"',
  ],
  async run([words = ''], options) {
    const { text, goal } = parts(words)
    const timezone = textOption(options, 'timezone')
    const { job, reading } = await withClient(options, async (client) => {
      const read = await client.send('POST', '/api/scheduler/parse-nl', { text, timezone })
      const reading = (await read.json()) as Reading
      const body = {
        name: textOption(options, 'name') ?? goal.slice(0, 80),
        goal,
        schedule: reading.schedule,
        agent_id: textOption(options, 'agent'),
        delivery: { channel: textOption(options, 'deliver') },
      }
      const made = await client.send('POST', '/api/scheduler/jobs', body)
      return { job: (await made.json()) as Job, reading }
    })
    for (const warning of reading.warnings) process.stderr.write(`${warning}\n`)
    print(options, job, `${job.id}  ${reading.human_readable}; next ${when(job.next_run_at)}`)
    return 0
  },
}

/** A colon within a time, as in 9:30, is not the one. */
function parts(words: string): { text: string; goal: string } {
  const [, text = '', goal = ''] = /^(.*?\S)\s*:(?!\d\d(?:\D|$))\s*(.*)$/s.exec(words) ?? []
  if (text && goal) return { text, goal }
  throw new Failure('Say when, a colon, and what: hearthd job add "every weekday at 9: tell me what is new"')
}
