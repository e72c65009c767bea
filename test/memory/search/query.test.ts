import { expect, test } from 'vitest'
import { search } from '../../../handlers/memory/search.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode } from '../../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../../runtime/memory/schema.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { contents, find, hostWith } from './support.ts'

test.each([
  ['no q', {}],
  ['blank q', { q: ' \t ' }],
  ['NUL in q', { q: 'a\0b' }],
  ['an unknown mode', { q: 'tea', mode: 'psychic' }],
  ['limit 0', { q: 'tea', limit: '0' }],
  ['limit 101', { q: 'tea', limit: '101' }],
  ['no date', { q: 'tea', start_date: 'yesterday' }],
  ['an impossible date', { q: 'tea', end_date: '2026-02-31' }],
])('refuses %s', async (_, query) => {
  const response = await call(search, await testHost(), { query })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'bad_request' })
})

test('a bad date is refused with what a good one looks like', async () => {
  const response = await call(search, await testHost(), { query: { q: 'tea', start_date: 'yesterday' } })

  expect(await response.json()).toMatchObject({
    message: 'start_date: must be an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:00:00Z',
  })
})

test('filters by source, agent and dates before it ranks', async () => {
  const host = await testHost()
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const add = (content: string, source: string, agent_id: string | null) =>
    addEpisode(context, { ...NewEpisode.parse({ content, agent_id }), source })
  await add('tea in January', 'task', 'agent_1')
  host.clock.jump(31 * 24 * 60 * 60 * 1000)
  await add('tea tea tea in February', 'insight', null)

  expect(contents(await find(host, 'tea', { source: 'task' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { agent_id: 'agent_1' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { end_date: '2026-01-05' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { start_date: '2026-01-06' }))).toEqual(['tea tea tea in February'])
  expect(
    contents(
      await find(host, 'tea', { start_date: '2026-01-05T14:00:00+02:00', end_date: '2026-01-05T12:00:00Z' }),
    ),
  ).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { start_date: '2026-01-05T14:00:00.001+02:00' }))).toEqual([
    'tea tea tea in February',
  ])
})

test('a time behind the year 9999 is behind everything', async () => {
  const host = await hostWith('tea')
  expect((await find(host, 'tea', { start_date: '9999-12-31T23:59:59-12:00' })).total).toBe(0)
  expect((await find(host, 'tea', { end_date: '9999-12-31T23:59:59-12:00' })).total).toBe(1)
})
