import { expect, test } from 'vitest'
import { history, undo } from '../../handlers/settings/general.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'

type Host = Awaited<ReturnType<typeof testHost>>
interface Change {
  id: string
  section: string
  undone_by: string | null
  fields: { field: string; before: unknown; after: unknown; secret: boolean }[]
}

const changesOf = async (host: Host) => ((await (await call(history, host)).json()) as { changes: Change[] }).changes
const undoLast = async (host: Host) => call(undo, host, { params: { id: (await changesOf(host))[0]?.id ?? '' } })

test('a change is recorded with its members before and after, and undone', async () => {
  const host = await testHost()
  await call(sections.interface.update, host, {
    body: { density: 'compact', notifications: { answers: false } },
  })
  const [change] = await changesOf(host)
  expect(change).toMatchObject({
    section: 'interface',
    actor: adminCaller.name,
    undone_by: null,
    fields: [
      { field: 'density', before: 'comfortable', after: 'compact', secret: false },
      { field: 'notifications.answers', before: true, after: false, secret: false },
    ],
  })
  const response = await undoLast(host)
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ undid: change?.id })])
  expect(await (await call(sections.interface.show, host)).json()).toMatchObject({
    density: 'comfortable',
    notifications: { answers: true, approvals: true },
  })
  expect((await changesOf(host))[1]?.undone_by).toBe((await changesOf(host))[0]?.id)
  expect((await call(undo, host, { params: { id: change?.id ?? '' } })).status).toBe(409)
})

test('what was changed again since is not undone', async () => {
  const host = await testHost()
  await call(sections.security.update, host, { body: { session_hours: 2 } })
  const [first] = await changesOf(host)
  await call(sections.security.update, host, { body: { session_hours: 3 } })
  const refused = await call(undo, host, { params: { id: first?.id ?? '' } })
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({ message: 'session_hours changed again later; undo the later change first' }),
  ])
  expect((await undoLast(host)).status).toBe(200)
  expect((await call(undo, host, { params: { id: first?.id ?? '' } })).status).toBe(200)
  expect(await (await call(sections.security.show, host)).json()).toMatchObject({ session_hours: 24 })
})

test('secrets are named, but neither kept nor undone', async () => {
  const host = await testHost()
  await call(sections.email.update, host, { body: { host: 'mail.example.com', password: 'canary-password' } })
  const [change] = await changesOf(host)
  expect(change?.fields.map(({ field, secret }) => [field, secret])).toEqual([
    ['host', false],
    ['password', true],
  ])
  const rows = await host.sql.read<{ fields: string }>('SELECT fields FROM settings_changes')
  expect(JSON.stringify(rows)).not.toMatch(/canary|word"|sealed:/)
  expect((await undoLast(host)).status).toBe(409)
})

test('a change that changes nothing is not recorded', async () => {
  const host = await testHost()
  await call(sections.interface.update, host, { body: { density: 'comfortable' } })
  expect(await changesOf(host)).toEqual([])
  expect((await call(undo, host, { params: { id: 'change_1' } })).status).toBe(404)
})
