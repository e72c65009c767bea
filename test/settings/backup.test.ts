import { expect, test } from 'vitest'
import { list as listAudit } from '../../handlers/auth/audit.ts'
import * as backups from '../../handlers/settings/backups.ts'
import { sections } from '../../handlers/settings/sections.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { followEvents } from '../../runtime/events/follow.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { Socket } from '../../runtime/http/socket.ts'
import { startBackups } from '../../runtime/settings/backup/jobs.ts'
import { expiredBackups } from '../../runtime/settings/backup/rotation.ts'
import { day, hour } from '../../runtime/time.ts'
import { fakeBackups } from '../support/backups.ts'
import { call } from '../support/call.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'

async function hostWithBackups() {
  let now = () => 0
  const fake = fakeBackups(() => now())
  const host = await testHost({ backups: fake })
  now = () => host.clock.now()
  return { host, fake }
}

test('a backup, a verification and a restore are jobs with an end', async () => {
  const { host, fake } = await hostWithBackups()
  const made = await call(backups.create, host, { body: {} })
  expect(made.status).toBe(202)
  const { id } = (await made.json()) as { id: string }
  const second = await call(backups.create, host, { body: {} })
  expect([second.status, await second.json()]).toEqual([
    409,
    expect.objectContaining({ job: expect.objectContaining({ id }) }),
  ])
  await workOff(host)

  const job = await (await call(backups.job, host, { params: { id } })).json()
  expect(job).toMatchObject({ action: 'create', status: 'done', backup: fake.files[0]?.name })
  expect(host.events).toContain('backup.created')
  const name = fake.files[0]?.name ?? ''
  expect((await call(backups.restore, host, { params: { name }, body: { confirm: 'x' } })).status).toBe(422)
  expect((await call(backups.restore, host, { params: { name }, body: { confirm: name, keys: true } })).status).toBe(
    422,
  )
  await call(backups.restore, host, { params: { name }, body: { confirm: name } })
  await workOff(host)
  expect(fake.restarts).toBe(1)
})

test('only administrators see the progress of a job', async () => {
  const { host } = await hostWithBackups()
  const seenBy = async (scopes: Caller['scopes']) => {
    const seen: string[] = []
    const caller: Caller = { ...adminCaller, user_id: 'user_bob', scopes }
    const context = { ...contextOf(new Request('http://127.0.0.1:18781/'), host, peer), caller }
    const socket = { send: (text: string) => void seen.push((JSON.parse(text) as { type: string }).type) }
    const nothing = { onMessage: () => undefined, onClose: () => undefined, close: () => undefined }
    followEvents({ ...socket, ...nothing } as unknown as Socket, context)
    await call(backups.create, host, { body: {} })
    await workOff(host)
    return new Set(seen)
  }
  expect(await seenBy(['read', 'write', 'approve'])).toEqual(new Set(['backup.created']))
  expect(await seenBy(['admin'])).toContain('backup.job.updated')
})

test('an upload that is too large is a 413 that names the limit', async () => {
  const fake = fakeBackups(() => 0)
  fake.receive = async (pieces) => {
    for await (const _ of pieces);
    throw new Error('not refused')
  }
  const host = await testHost({ backups: fake }, { backup_limit: 2_000 })
  const body = new Uint8Array(3_000)
  const response = await call(backups.upload, host, { body })
  expect([response.status, await response.json()]).toEqual([
    413,
    expect.objectContaining({ message: expect.stringContaining('larger than 2000 bytes') }),
  ])
})

test('a failure is shown in the job and announced', async () => {
  const { host, fake } = await hostWithBackups()
  fake.failure = 'the disk is full'
  const { id } = (await (await call(backups.create, host, { body: {} })).json()) as { id: string }
  await workOff(host)
  expect(await (await call(backups.job, host, { params: { id } })).json()).toMatchObject({
    status: 'error',
    error: 'the disk is full',
  })
  expect(host.events).toContain('backup.failed')
})

test('a look inside counts the rows per area', async () => {
  const { host, fake } = await hostWithBackups()
  await call(backups.create, host, { body: {} })
  await workOff(host)
  const name = fake.files[0]?.name ?? ''
  expect(await (await call(backups.show, host, { params: { name } })).json()).toMatchObject({
    refused: null,
    areas: [
      { area: 'agents', rows: 2, tables: [{ table: 'agents', rows: 2 }] },
      { area: 'memory', rows: 7 },
    ],
  })
  expect((await call(backups.show, host, { params: { name: 'other.db' } })).status).toBe(404)
})

test('scheduled backups are made at their time, rotated, and tried three times before they fail', async () => {
  const { host, fake } = await hostWithBackups()
  const schedule = { enabled: true, time: '03:30', keep_daily: 2, keep_weekly: 1 }
  expect((await call(sections.backup.update, host, { body: schedule })).status).toBe(200)
  const next = async () => ((await (await call(backups.list, host)).json()) as { next_at: string }).next_at
  expect(await next()).toBe('2026-01-06T03:30:00.000Z')
  const pass = async (time: number) => {
    await host.clock.advance(time)
    await workOff(host)
  }
  for (let days = 0; days < 12; days += 1) await pass(day)
  expect(fake.files.map(({ created_at }) => created_at.slice(0, 10))).toEqual([
    '2026-01-15',
    '2026-01-16',
    '2026-01-17',
  ])

  fake.failure = 'the disk is full'
  await pass(day)
  expect(host.events).not.toContain('backup.failed')
  await pass(hour)
  await pass(hour)
  expect(host.events.filter((type) => type === 'backup.failed')).toHaveLength(1)
  fake.failure = null
  await pass(day)
  expect(fake.files.at(-1)?.created_at).toMatch(/^2026-01-19/)

  await call(sections.backup.update, host, { body: { enabled: false } })
  expect(await next()).toBeNull()
})

test('a folder of the machine must be allowed', async () => {
  const { host } = await hostWithBackups()
  const response = await call(sections.backup.update, host, { body: { folder: '/mnt/disk' } })
  expect([response.status, await response.json()]).toEqual([
    422,
    expect.objectContaining({ message: expect.stringContaining('folder') }),
  ])
})

test('a completed restore is written to the audit log of the restored data', async () => {
  const { host, fake } = await hostWithBackups()
  const restored = { name: 'a.db', by: 'ada', at: '2026-01-05T12:00:00.000Z', previous: 'b.db', error: null }
  fake.restored = async () => restored
  await startBackups(host)
  expect(host.process.restored).toBe('a.db')
  expect(host.events).toContain('backup.restored')
  expect(await (await call(listAudit, host)).json()).toMatchObject({
    entries: [{ action: 'backup.restored', target: 'a.db, by ada' }],
  })
})

test.each([
  ['nothing', [], []],
  ['other backups stay', ['manual 2026-01-01', 'before-restore 2026-01-01'], []],
  ['the older one of a day', ['scheduled 2026-01-05T01', 'scheduled 2026-01-05T03'], ['2026-01-05T01']],
  [
    'the days before the last two, but for the newest of the week before',
    [
      'scheduled 2026-01-05',
      'scheduled 2026-01-04',
      'scheduled 2026-01-03',
      'scheduled 2026-01-02',
      'scheduled 2025-12-20',
    ],
    ['2026-01-02', '2025-12-20'],
  ],
])('rotation removes %s', (_, files, expected) => {
  const all = files.map((text) => {
    const [reason = '', at = ''] = text.split(' ')
    const created_at = new Date(at.includes('T') ? `${at}:00:00Z` : `${at}T12:00:00Z`).toISOString()
    return { reason: reason as 'scheduled', created_at }
  })
  const expired = expiredBackups(all, { keep_daily: 2, keep_weekly: 1 })
  expect(expired.map(({ created_at }) => expected.find((at) => created_at.startsWith(at)))).toEqual(expected)
})
