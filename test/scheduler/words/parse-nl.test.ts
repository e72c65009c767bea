import { expect, test } from 'vitest'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import { parseNl } from '../../../handlers/scheduler/overview.ts'
import { sections } from '../../../handlers/settings/sections.ts'
import { ModelError } from '../../../runtime/ports/models.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { scriptedModels, text } from '../../support/models.ts'
import { newJob } from '../../support/scheduler.ts'

const { update } = sections.profile

/** The rules know nothing of it. */
const beyondTheRules = 'when the cows come home on Mondays, say nine'

async function read(host: MemoryHost, body: Record<string, unknown>) {
  const response = await call(parseNl, host, { body })
  return { status: response.status, body: await response.json() }
}

async function hostWith(...answers: (string | Error)[]) {
  const models = scriptedModels(...answers.map((answer) => (typeof answer === 'string' ? text(answer) : [answer])))
  const host = await testHost({ models })
  await configure(host, ['openai'])
  return { host, models }
}

test("plain English returns a schedule, its description, and its next 5 times in the profile's zone", async () => {
  const host = await testHost()
  await call(update, host, { body: { timezone: 'Europe/Berlin' } })
  const { status, body } = await read(host, { text: 'every weekday at 9' })
  expect(status).toBe(200)
  expect(body).toEqual({
    schedule: { type: 'cron', expression: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
    human_readable: 'Every weekday at 09:00',
    confidence: 0.95,
    parse_method: 'regex',
    timezone: 'Europe/Berlin',
    next_runs: ['06', '07', '08', '09', '12'].map((day) => `2026-01-${day}T08:00:00.000Z`),
    alternatives: [],
    warnings: [],
  })
})

test('the zone can be given, and the text can name another', async () => {
  const host = await testHost()
  const given = await read(host, { text: 'tomorrow at 9', timezone: 'Asia/Tokyo' })
  expect(given.body).toMatchObject({ timezone: 'Asia/Tokyo', next_runs: ['2026-01-06T00:00:00.000Z'] })
  const named = await read(host, { text: 'tomorrow at 9 Berlin time', timezone: 'Asia/Tokyo' })
  expect(named.body).toMatchObject({ timezone: 'Europe/Berlin', next_runs: ['2026-01-06T08:00:00.000Z'] })
  expect((await read(host, { text: 'tomorrow', timezone: 'Mars/Olympus' })).status).toBe(422)
})

test('each alternative has its text', async () => {
  const { body } = await read(await testHost(), { text: 'every 2 hours' })
  expect(body.alternatives).toEqual([
    {
      schedule: { type: 'cron', expression: '0 */2 * * *', timezone: 'UTC' },
      human_readable: 'Every 2 hours by the clock',
    },
  ])
})

test.each([
  'every other Tuesday at 9',
  'Mon and Wed at 7:30 and 19:00',
  'in 20 minutes',
  'last Friday of the month at 17:00',
])('a job takes the schedule of %j, and comes due when it was said', async (words) => {
  const host = await testHost()
  const { body } = await read(host, { text: words })
  const job = await newJob(host, { schedule: body.schedule })
  expect(job.next_run_at).toBe(body.next_runs[0])
})

test('unparsable text is a 422 with the reason, possible meanings, and examples', async () => {
  const { status, body } = await read(await testHost(), {
    text: 'every Monday at 9 and every Friday at 17:00',
  })
  expect(status).toBe(422)
  expect(body).toMatchObject({
    reason: 'These are two schedules: make a job for each',
    alternatives: [{ human_readable: 'Every Monday at 09:00' }, { human_readable: 'Every Friday at 17:00' }],
    examples: expect.arrayContaining(['every weekday at 9']),
  })
})

test.each(['', 'sometimes', beyondTheRules, 'x'.repeat(501)])('no schedule in %j: 422', async (words) => {
  expect((await read(await testHost(), { text: words })).status).toBe(422)
})

test.each(['jeden Werktag um 9', 'tous les jours à 9h', 'todos los días a las 17:00'])(
  'without a model, a schedule in another language is a 422 that says what to do: %s',
  async (words) => {
    for (const split of [false, true]) {
      const { status, body } = await read(await testHost(), { text: words, split })
      expect([status, body.reason]).toEqual([
        422,
        expect.stringMatching(/ is not understood.*\. Write it in English, or set up a provider$/),
      ])
    }
  },
)

test.each([
  ['de', 'jeden Werktag um 9', 'nur Englisch'],
  ['system', '毎朝八時に', '英語しか'],
])('the language of the settings, or the script, decides how that is said: %s', async (language, text, said) => {
  const host = await testHost()
  await call(sections.interface.update, host, { body: { language } })
  const { status, body } = await read(host, { text })
  expect([status, body.reason]).toEqual([422, expect.stringContaining(said)])
})

test('with a model, it reads a schedule in another language', async () => {
  const { host } = await hostWith('{"schedule": {"type": "cron", "expression": "0 9 * * 1-5"}}')
  const { body } = await read(host, { text: 'jeden Werktag um 9' })
  expect(body).toMatchObject({ parse_method: 'llm', human_readable: 'Every weekday at 09:00' })
})

test.each([
  ['at sunset', { type: 'at', datetime: '2026-01-05T18:30:00.000Z', timezone: 'UTC' }, 'Sunset', '18:30'],
  ['every day at sunset', { type: 'cron', expression: '30 18 * * *', timezone: 'UTC' }, 'Sunset', '18:30'],
  ['weekdays at sunrise', { type: 'cron', expression: '30 6 * * 1-5', timezone: 'UTC' }, 'Sunrise', '06:30'],
])('%s is a warning and a time to choose, not a guess', async (text, schedule, name, time) => {
  const { status, body } = await read(await testHost(), { text })
  expect(status).toBe(200)
  expect(body).toEqual({
    schedule: null,
    human_readable: '',
    confidence: 0,
    parse_method: 'regex',
    timezone: 'UTC',
    next_runs: [],
    alternatives: [{ schedule, human_readable: expect.any(String) }],
    warnings: [`${name} depends on a place that is not known here; give a time such as ${time}`],
  })
})

test('a sentence with a goal and a sunset is a warning as well', async () => {
  const { status, body } = await read(await testHost(), {
    text: 'water the plants every day at sunset',
    split: true,
  })
  expect([status, body.schedule, body.goal]).toEqual([200, null, 'water the plants'])
  expect(body.alternatives).toMatchObject([{ schedule: { expression: '30 18 * * *' } }])
  expect(body.warnings).toEqual([expect.stringContaining('Sunset depends on a place')])
})

test('a model is called if the rules fail, and is never fully certain', async () => {
  const answer = {
    schedule: { type: 'cron', expression: '0 9 * * 1' },
    confidence: 0.99,
    warnings: ['09:00 is a guess'],
  }
  const { host, models } = await hostWith(JSON.stringify(answer))
  const { status, body } = await read(host, { text: beyondTheRules })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    schedule: { ...answer.schedule, timezone: 'UTC' },
    human_readable: 'Every Monday at 09:00',
    confidence: 0.7,
    parse_method: 'llm',
    warnings: ['09:00 is a guess'],
    next_runs: expect.arrayContaining(['2026-01-12T09:00:00.000Z']),
  })
  expect(JSON.stringify(models.calls[0]?.messages)).toContain(`<untrusted>\\n${beyondTheRules}\\n</untrusted>`)
})

test('a preview calls no model, and says when one might help', async () => {
  const { host, models } = await hostWith()
  const { status, body } = await read(host, { text: beyondTheRules, preview: true })
  expect(status).toBe(422)
  expect(body).toMatchObject({ code: 'ask_model', reason: expect.any(String) })
  expect((await read(host, { text: 'every weekday at 9', preview: true })).status).toBe(200)
  expect(models.calls).toHaveLength(0)

  const offline = await read(await testHost(), { text: beyondTheRules, preview: true })
  expect(offline.body.code).not.toBe('ask_model')
})

test('no model is called if the rules succeed, or find two schedules', async () => {
  const { host, models } = await hostWith()
  await read(host, { text: 'every weekday at 9' })
  await read(host, { text: 'every Monday at 9 and every Friday at 17:00' })
  expect(models.calls).toHaveLength(0)
})

test.each([
  ['no JSON', 'I think you mean Mondays.'],
  ['no reading', '{"schedule": null}'],
  ['not cron', '{"schedule": {"type": "cron", "expression": "99 * * * *"}}'],
  ['the past', '{"schedule": {"type": "at", "datetime": "2020-01-01T09:00"}}'],
  ['too often', '{"schedule": {"type": "every", "interval": 1}}'],
  ['more than was asked', '{"schedule": {"type": "every", "interval": 60}, "run": "rm"}'],
])('an answer of the model that is no schedule counts for nothing: %s', async (_, answer) => {
  const { host, models } = await hostWith(answer)
  expect((await read(host, { text: beyondTheRules })).status).toBe(422)
  expect(models.calls).toHaveLength(1)
})

test('if the model cannot be reached, the reason of the rules is returned', async () => {
  const { host } = await hostWith(new ModelError('auth', 'The key is wrong'))
  const { status, body } = await read(host, { text: beyondTheRules })
  expect(status).toBe(422)
  expect(body.reason).toContain('is not understood')
})

test.each([
  ['every weekday at 9 summarise my inbox', 'every weekday at 9', 'summarise my inbox'],
  ['remind me to call Ana tomorrow at 5pm', 'tomorrow at 5pm', 'remind me to call Ana'],
  ['every 2 hours', 'every 2 hours', ''],
])('a sentence is split into its schedule and its goal: %s', async (sentence, when, goal) => {
  const host = await testHost()
  const { schedule, human_readable } = (await read(host, { text: when })).body
  expect(await read(host, { text: sentence, split: true })).toMatchObject({
    status: 200,
    body: { schedule, human_readable, goal },
  })
  if (goal) expect((await read(host, { text: sentence })).status).toBe(422)
})
