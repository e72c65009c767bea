import { expect, test } from 'vitest'
import { Conversation, type Tool } from './kit.ts'

/** The words for the time and the goal of each job. */
function scheduled(made: string[][]): Record<string, Tool> {
  const schedule_job: Tool = ({ goal, when }) => {
    made.push([String(when), String(goal)])
    const schedule = { timezone: 'America/New_York' }
    return { id: 'job_1', schedule, next_run_at: '2026-11-22T16:00:00.000Z' }
  }
  return { schedule_job }
}

test.each([
  ['Remind me in 20 minutes to call Ada', 'in 20 minutes', 'call Ada'],
  ['remind me of the tea in 20 minutes', 'in 20 minutes', 'the tea'],
  ['Please remind me every weekday at 9 about the tablets.', 'every weekday at 9', 'the tablets'],
  ['Set a timer for 10 minutes', 'in 10 minutes', 'the timer is up'],
  ['Wake me tomorrow at 7', 'tomorrow at 7', 'wake up'],
])('%s', async (request, when, task) => {
  const made: string[][] = []
  await new Conversation(scheduled(made)).say(request)
  expect(made).toEqual([[when, `Deliver this reminder: ${task}`]])
})

test('a day of the month is part of the time', async () => {
  const made: string[][] = []
  await new Conversation(scheduled(made)).say('remind me on the 15th at 9 to pay rent')
  expect(made).toEqual([['on the 15th at 9', 'Deliver this reminder: pay rent']])
})
