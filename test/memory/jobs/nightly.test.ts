import { expect, test } from 'vitest'
import { create } from '../../../handlers/memory/episodes.ts'
import { sections } from '../../../handlers/settings/sections.ts'
import { hour, iso } from '../../../runtime/time.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'

const { update: changeSettings } = sections.memory
const { update: changeProfile } = sections.profile

type Host = Awaited<ReturnType<typeof testHost>>

const queued = (host: Host) =>
  host.sql.read<{ due_at: string }>(`SELECT due_at FROM work WHERE kind = 'memory.nightly' AND status = 'queued'`)

const jobs = async (host: Host) =>
  (await host.sql.read<{ count: number }>(`SELECT count(*) AS count FROM work WHERE kind = 'memory.job'`))[0]?.count

const remember = (host: Host, content: string) => call(create, host, { body: { content } })

test("new episodes are consolidated once, at the scheduled time in the profile's time zone", async () => {
  const host = await testHost()
  await call(changeProfile, host, { body: { timezone: 'America/New_York' } })
  await remember(host, 'Ada works at Acme.')
  await workOff(host)
  await remember(host, 'Ada lives in Paris.')
  await workOff(host)
  expect(await queued(host)).toEqual([{ due_at: '2026-01-06T09:00:00.000Z' }])
  expect(await jobs(host)).toBe(0)

  await host.clock.advance(Date.parse('2026-01-06T09:00:00.000Z') - host.clock.now())
  await workOff(host)
  expect(await jobs(host)).toBe(1)
  const relations = await host.sql.read<{ fact: string }>('SELECT fact FROM relations')
  expect(JSON.stringify(relations)).toContain('Acme')

  await host.clock.advance(48 * hour)
  await workOff(host)
  expect([await jobs(host), await queued(host)]).toEqual([1, []])
})

test('a new schedule applies at once, and none runs when consolidation is switched off', async () => {
  const host = await testHost()
  await remember(host, 'Ada works at Acme.')
  await workOff(host)
  await call(changeSettings, host, { body: { consolidation: { cron: '30 13 * * *' } } })
  await workOff(host)
  expect(await queued(host)).toEqual([{ due_at: iso(Date.parse('2026-01-05T13:30:00Z')) }])

  await call(changeSettings, host, { body: { consolidation: { enabled: false } } })
  await workOff(host)
  expect(await queued(host)).toEqual([])
})

test.each(['61 4 * * *', '2026-01-05T04:00', '* * *', 'often'])('"%s" is not a schedule', async (cron) => {
  const host = await testHost()
  const response = await call(changeSettings, host, { body: { consolidation: { cron } } })
  expect(response.status).toBe(422)
  expect((await response.json()).issues).toMatchObject([{ path: 'consolidation.cron' }])
})
