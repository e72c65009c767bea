import { expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import { cleanUp } from '../../runtime/settings/cleanup.ts'
import { day, iso } from '../../runtime/time.ts'
import { testHost } from '../support/host.ts'

const oldWork = (at: string) => ({
  sql: `INSERT INTO work (id, kind, subject, payload, status, due_at, attempt, created_at, finished_at)
    VALUES (?, 'test', 'x', '{}', ?, ?, 1, ?, ?)`,
  args: (id: string, status: string, finished: string | null) => [id, status, at, at, finished],
})

test('deletes finished work and published events after a week', async () => {
  const host = await testHost()
  const long = iso(host.clock.now() - 8 * day)
  const { sql, args } = oldWork(long)
  await host.sql.write([
    { sql, args: args('done', 'succeeded', long) },
    { sql, args: args('open', 'queued', null) },
    { sql: `INSERT INTO events (id, type, ts, data) VALUES ('evt_old', 'x', ?, '{}')`, args: [long] },
  ])
  await cleanUp(localContext(host))

  expect(await host.sql.read('SELECT id FROM work')).toEqual([{ id: 'open' }])
  expect(await host.sql.read(`SELECT id FROM events WHERE id = 'evt_old'`)).toEqual([])
})
