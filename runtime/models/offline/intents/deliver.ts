import { type Intent, matched, say } from '../types.ts'

/** The goal given to a reminder's job. When the job runs, this intent, or any model, simply says the reminder. */
export function reminderGoal(task: string): string {
  return `Deliver this reminder: ${task}`
}

export const deliver: Intent = {
  name: 'deliver',
  tools: [],
  examples: [],
  content: true,
  match(text) {
    const reminder = /\bdeliver this reminder:\s*([^\n]+)/i.exec(text)?.[1]
    return reminder ? { ...matched(1, { reminder }), whole: true } : null
  },
  async *run({ slots }) {
    yield say(`Reminder: ${slots.reminder}`)
    return undefined
  },
}
