import { expect, test } from 'vitest'
import { parseWords } from '../../../runtime/english/schedules/parse.ts'
import { berlin, monday, short } from './kit.ts'

const read = (words: string) => parseWords(words, { now: monday, zone: berlin })

test.each<[string, string, number]>([
  ['', 'The text does not say when', 0],
  ['   ', 'The text does not say when', 0],
  ['at sunset', 'Sunrise and sunset depend on a location that hearthd does not know; give a time such as 18:30', 0],
  ['every 0 minutes', 'Every 0 minutes is not a valid interval', 0],
  ['on the 31st of February', 'That month never has a day 31', 0],
  ['yesterday at 5', 'That is in the past', 0],
  ['sometimes', 'That does not name a time; say when, such as "every day at 9" or "in 2 hours"', 0],
  ['every Monday at 9 and every Friday at 17', 'These are two schedules: make a job for each', 2],
  ['every second', 'More often than every 10 seconds is not possible', 0],
  ['every 5 seconds', 'More often than every 10 seconds is not possible', 0],
  ['every 2 hours and tomorrow at 5pm', 'These are two schedules: make a job for each', 2],
  ['gobbledygook', '"gobbledygook" is not understood as a time', 0],
  ['every blue moon', '"blue moon" is not understood', 0],
  ['every 5 months', 'Every 5 months does not divide a year, so no schedule can express it; every 4 months works', 0],
  ['* * * * * *', 'More often than every 10 seconds is not possible', 0],
  ['every monday at 25', '25 is not a time of day', 0],
  ['every day from 9 to 17', 'How often within these hours is missing, such as "every 2 hours"', 0],
  ['remind me every day', '"remind me" is not understood', 0],
  ['today at 8', '2026-01-05 08:00 has already passed', 0],
  ['1 March 2025 at 9', '2025-03-01 09:00 has already passed', 0],
  [
    'every two weeks on tuesday and thursday at 9',
    'Such an interval takes one day and one time: create a job for each',
    2,
  ],
  ['every Feb 30 at 9', 'That month never has a day 30', 0],
  [
    'last weekday of the month at 9',
    'The first or last working day of a month is not possible in a schedule; a date or a weekday such as "last Friday of the month" can',
    0,
  ],
  ['evry day at 9', '"evry" is not understood as a time', 0],
  [
    'every day at sunrise',
    'Sunrise and sunset depend on a location that hearthd does not know; give a time such as 18:30',
    0,
  ],
  ['every full moon', 'hearthd does not know the dates of those days; give the dates', 0],
  ['every day at 24:30', '24:30 is not a time of day', 0],
  [
    'every 13th month',
    'Every 13 months does not divide a year, so no schedule can express it; every 12 months works',
    0,
  ],
  ['2 days ago', 'That is in the past', 0],
  ['last friday at 5', 'That is in the past', 0],
  ['every weekday at 9 and weekends at 11', 'These are two schedules: make a job for each', 2],
  ['every day at 9 until 1 June', 'A schedule has no end date: leave it out, and set the end of the job instead', 0],
  ['every tusday at 9', '"tusday" is not understood', 0],
  ['3 times a week', '3 times a week leaves open when; name the days and times', 0],
  ['every day at 9:00 UTC+2', '"utc 2" is not understood', 0],
  ['soon', 'That does not name a time; say when, such as "every day at 9" or "in 2 hours"', 0],
  ['asap', 'That does not name a time; say when, such as "every day at 9" or "in 2 hours"', 0],
  ['every now and then', 'That does not name a time; say when, such as "every day at 9" or "in 2 hours"', 0],
  ['run the report every day at 9', '"report" is not understood', 0],
  ['every -5 minutes', 'Every -5 minutes is not a valid interval', 0],
  ['every 3 years', 'Every 3 years is not possible in a schedule; every year is', 1],
  ['every leap year', '"leap year" is not understood', 0],
  ['every monday the 13th at 9', 'A day of the month and a weekday cannot be combined: cron means either, not both', 0],
  ['every hour except at night', '"except" is not understood', 0],
  ['every day at 9 for 3 weeks', 'A schedule has no end date: leave it out, and set the end of the job instead', 0],
  [
    'every 2 hours between 9 and 17 until may',
    'A schedule has no end date: leave it out, and set the end of the job instead',
    0,
  ],
  ['every day at 7:30 and every weekday at 9', 'These are two schedules: make a job for each', 2],
  ['0 9 L-3 * *', "expression Syntax error, L has to be a value of its own in day-of-month ('L-3').", 0],
])('refused: %j', async (words, reason, alternatives) => {
  const refused = await read(words)
  expect(refused).toMatchObject({ ok: false, reason })
  expect(refused.alternatives).toHaveLength(alternatives)
})

test('two schedules in one sentence are refused, with both as alternatives', async () => {
  const { alternatives } = await read('every Monday at 9 and every Friday at 17:00')
  expect(alternatives.map(short)).toEqual(['0 9 * * 1', '0 17 * * 5'])
  const mixed = await read('every 2 hours and tomorrow at 5pm')
  expect(mixed.alternatives.map(short)).toEqual(['every 7200', 'at 2026-01-06T16:00:00.000Z'])
})

test('several days or times of a long interval are offered separately', async () => {
  const { alternatives } = await read('every two weeks on tuesday and thursday at 9')
  expect(alternatives.map(short)).toEqual([
    'every 1209600 from 2026-01-06T09:00',
    'every 1209600 from 2026-01-08T09:00',
  ])
})

test.each([
  ['every weekday', 'No time is given: 09:00 is assumed'],
  ['every morning', 'No hour is given: 09:00 is assumed'],
  ['twice a day', 'No times are given: 09:00, 21:00 are assumed'],
  ['weekly at 9', 'No weekday is given: Monday is assumed'],
  ['next Friday at 17:00', '"next friday" is taken as the one in the next week'],
  ['3/4/2026 at 9', '3/4/2026 is read as month/day'],
  ['every day at 9 Narnia time', 'The time zone of narnia is unknown; your own is used'],
])('says what it assumes, and is less sure: %s', async (words, warning) => {
  const understood = await read(words)
  expect(understood).toMatchObject({ ok: true, warnings: expect.arrayContaining([warning]) })
  expect(understood.ok && understood.confidence).toBeLessThan(0.9)
})

test.each([
  ['every 31st at 9', 'Months without a day 31 are skipped'],
  ['every day at 5', '05:00 is in the morning; say "5pm" for the afternoon'],
  ['9am PST every day', 'PST is taken as America/Los_Angeles, with its summer time'],
  ['every other Tuesday at 9', 'It is counted from 2026-01-06'],
])('warns of what may surprise, and is sure all the same: %s', async (words, warning) => {
  expect(await read(words)).toMatchObject({ ok: true, confidence: 0.95, warnings: [warning] })
})

test('offers other possible meanings of the text', async () => {
  const friday = await read('next Friday at 17:00')
  expect(friday.alternatives.map(short)).toEqual(['at 2026-01-09T16:00:00.000Z'])
  const once = await read('on the 15th at 9')
  expect(once.alternatives.map(short)).toEqual(['0 9 15 * *'])
  const hourly = await read('every 2 hours')
  expect(hourly.alternatives.map(short)).toEqual(['0 */2 * * *'])
})

test('never throws, whatever the text', async () => {
  const odd = [
    '\u0000',
    '🕘',
    '((((',
    '[1] {5}',
    '{99999999} every [9]',
    'every',
    'at',
    'on the',
    '1e9 times a day',
    'a'.repeat(501),
  ]
  for (const words of odd) expect((await read(words)).ok, words).toBe(false)
})
