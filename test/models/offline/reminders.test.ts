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
  ['Erinnere mich in 20 Minuten daran, Ada anzurufen', 'in 20 Minuten', 'Ada anzurufen'],
  ['erinnere mich an den Tee in 20 Minuten', 'in 20 Minuten', 'Tee'],
  ['Bitte erinnere mich morgen um 17 Uhr an die Post.', 'morgen um 17 Uhr', 'Post'],
  ['erinnere mich jeden Werktag um 9 an die Tabletten', 'jeden Werktag um 9', 'Tabletten'],
  ["rappelle-moi demain à 17h d'appeler Ada", 'demain à 17h', 'appeler Ada'],
  ['Rappelle-moi de boire dans 20 minutes', 'dans 20 minutes', 'boire'],
  ['recuérdame llamar a Ada mañana a las 17', 'mañana a las 17', 'llamar a Ada'],
  ['Recuérdame en 20 minutos que hay que salir', 'en 20 minutos', 'hay que salir'],
])('%s', async (request, when, task) => {
  const made: string[][] = []
  const answer = await new Conversation(scheduled(made)).say(request)
  expect(made).toEqual([[when, `Deliver this reminder: ${task}`]])
  expect(answer).toContain(task)
  expect(answer).toContain('11:00')
})

test('if a reminder has no time, it is asked for in the language of the request', async () => {
  const made: string[][] = []
  const chat = new Conversation(scheduled(made))
  expect(await chat.say('erinnere mich an den Tee')).toContain('Woran soll ich dich erinnern, und wann?')
  expect(made).toEqual([])
})

test('a day of the month is part of the time', async () => {
  const made: string[][] = []
  await new Conversation(scheduled(made)).say('remind me on the 15th at 9 to pay rent')
  expect(made).toEqual([['on the 15th at 9', 'Deliver this reminder: pay rent']])
})
