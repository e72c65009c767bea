import { expect, test } from 'vitest'
import { list } from '../../handlers/settings/general.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { Profile } from '../../runtime/auth/profile.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

const { show, update } = sections.profile

test('an empty profile has its defaults', async () => {
  const host = await testHost({}, { timezone: 'Europe/Paris' })
  const response = await call(show, host)
  const expected = { display_name: '', avatar_url: null, timezone: 'Europe/Paris', theme: 'system' }
  expect(Profile.parse(await response.json())).toEqual(expected)
})

test('accepts any subset, returns the whole profile and emits an event', async () => {
  const host = await testHost()
  await call(update, host, { body: { display_name: 'Ada', theme: 'dark' } })
  const response = await call(update, host, { body: { timezone: 'Asia/Tokyo' } })

  const whole = { display_name: 'Ada', avatar_url: null, timezone: 'Asia/Tokyo', theme: 'dark' }
  expect(await response.json()).toEqual(whole)
  expect(await (await call(show, host)).json()).toEqual(whole)
  expect(await (await call(list, host)).json()).toMatchObject({ profile: whole })
  expect(host.events).toEqual(['settings.updated', 'settings.updated'])
})

test.each([
  ['a name that it does not have', { them: 'dark' }, ''],
  ['an unknown theme', { theme: 'sepia' }, 'theme'],
  ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone'],
  ['a script as picture', { avatar_url: 'javascript:alert(1)' }, 'avatar_url'],
  ['a number as name', { display_name: 7 }, 'display_name'],
])('refuses %s and changes nothing', async (_, body, path) => {
  const host = await testHost()
  const response = await call(update, host, {
    body: { ...body, display_name: 'display_name' in body ? 7 : 'Ada' },
  })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: 'validation_error', issues: [{ path }] })
  expect(await (await call(show, host)).json()).toMatchObject({ display_name: '' })
})

test('concurrent changes of different members are all kept', async () => {
  const host = await testHost()
  const bodies = [{ display_name: 'Ada' }, { theme: 'dark' }, { timezone: 'Asia/Tokyo' }, { avatar_url: null }]
  const answers = await Promise.all(bodies.map((body) => call(update, host, { body })))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  const whole = { display_name: 'Ada', theme: 'dark', timezone: 'Asia/Tokyo' }
  expect(await (await call(show, host)).json()).toMatchObject(whole)
})
