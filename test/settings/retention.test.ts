import { expect, test } from 'vitest'
import { sections } from '../../handlers/settings/sections.ts'
import * as storage from '../../handlers/settings/storage.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import { storeBytes } from '../../runtime/files/files.ts'
import { findFile } from '../../runtime/files/store.ts'
import { cleanUp } from '../../runtime/settings/cleanup.ts'
import { cleanupKind, dailyCleanup } from '../../runtime/settings/cleanup-queue.ts'
import { tick } from '../../runtime/tick.ts'
import { day } from '../../runtime/time.ts'
import { listWork } from '../../runtime/work/select.ts'
import { fakeBackups } from '../support/backups.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'

type Host = Awaited<ReturnType<typeof testHost>>
interface Stored {
  cleaning: boolean
  database: {
    bytes: number
    areas: { area: string; bytes: number }[]
    other_bytes: number
    free_bytes: number
  }
  kinds: { kind: string; rows: number; bytes: number; oldest_at: string | null; days: number | null }[]
  total_bytes: number
  budget: string
}

const newHost = () => testHost({ backups: fakeBackups(() => 0) })
const shown = async (host: Host) => (await (await call(storage.show, host)).json()) as Stored
const kindOf = async (host: Host, kind: string) => (await shown(host)).kinds.find((stored) => stored.kind === kind)
const set = (host: Host, body: object) => call(sections.retention.update, host, { body })
const pruneAfter = async (host: Host, days: number) => {
  await host.clock.advance(days * day)
  await cleanUp(localContext(host))
}

const cleanNow = async (host: Host) => {
  await call(storage.prune, host)
  await workOff(host)
  return shown(host)
}

/** Keeps about `bytes` in one event. */
const fill = (host: Host, bytes: number) =>
  commit(host, [], [event('backup.failed', { action: 'create', name: null, error: 'x'.repeat(bytes) })])

const upload = (host: Host, name: string) =>
  storeBytes(localContext(host), {
    name,
    bytes: new TextEncoder().encode(name.repeat(500)),
    purpose: 'general',
  })

test('events go after the days that are set, files only if an age is set', async () => {
  const host = await newHost()
  await fill(host, 100)
  const file = await upload(host, 'plan.txt')
  expect(await kindOf(host, 'files')).toMatchObject({ rows: 1, bytes: file.size_bytes, days: null })
  await pruneAfter(host, 6)
  expect((await kindOf(host, 'events'))?.oldest_at).toBe('2026-01-05T12:00:00.000Z')
  await pruneAfter(host, 2)
  expect((await kindOf(host, 'events'))?.oldest_at ?? '').not.toBe('2026-01-05T12:00:00.000Z')
  expect(await findFile(localContext(host), file.id)).not.toBeNull()

  await set(host, { files_days: 5 })
  const later = await upload(host, 'later.txt')
  await pruneAfter(host, 1)
  expect(await findFile(localContext(host), file.id)).toBeNull()
  expect(await findFile(localContext(host), later.id)).not.toBeNull()
})

test('a request deletes all old files, however many there are', async () => {
  const host = await newHost()
  const { id } = await upload(host, 'plan.txt')
  await host.sql.write([
    {
      sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO files (id, owner_id, name, name_lower, mime_type, size_bytes, sha256, purpose, created_at)
        SELECT id || i, owner_id, name, name_lower, mime_type, size_bytes, sha256, purpose, created_at
        FROM files, n WHERE id = ?`,
      args: [id],
    },
  ])
  await set(host, { files_days: 1 })
  await host.clock.advance(2 * day)
  await cleanNow(host)
  expect((await kindOf(host, 'files'))?.rows).toBe(0)
})

test('a budget warns first, then deletes the oldest until it is kept', async () => {
  const host = await newHost()
  await set(host, { events_days: 3_650, budget_mb: 10 })
  for (let days = 0; days < 9; days += 1) {
    await fill(host, 1_020_000)
    await host.clock.advance(day)
  }
  expect((await shown(host)).budget).toBe('near')
  await cleanUp(localContext(host))
  expect(host.events.filter((type) => type === 'storage.budget_reached')).toHaveLength(1)
  expect((await shown(host)).total_bytes).toBeGreaterThan(9_000_000)

  for (let count = 0; count < 3; count += 1) await fill(host, 1_000_000)
  expect((await shown(host)).budget).toBe('exceeded')
  const after = await cleanNow(host)
  expect(after.total_bytes).toBeLessThanOrEqual(9_000_000)
  expect(after.total_bytes).toBeGreaterThan(7_000_000)
  expect(after.kinds.find(({ kind }) => kind === 'events')?.oldest_at).toMatch(/^2026-01-0[89]/)
})

test('a budget never deletes events of the last day, which may still be delivered', async () => {
  const host = await newHost()
  await set(host, { budget_mb: 10 })
  await fill(host, 1_000_000)
  await host.clock.advance(2 * day)
  for (let count = 0; count < 12; count += 1) await fill(host, 1_000_000)
  await host.clock.advance(day / 24)
  const after = await cleanNow(host)
  expect(after.budget).toBe('exceeded')
  const [kept] = await host.sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM events WHERE type = 'backup.failed'`,
  )
  expect(kept?.count).toBe(12)
})

test('a budget never deletes files without an age', async () => {
  const host = await newHost()
  const bytes = new Uint8Array(12_000_000)
  const file = await storeBytes(localContext(host), { name: 'big.bin', bytes, purpose: 'general' })
  await set(host, { budget_mb: 10 })
  await host.clock.advance(day)
  expect((await cleanNow(host)).budget).toBe('exceeded')
  expect(await findFile(localContext(host), file.id)).not.toBeNull()
})

test('sizes count bytes, not characters', async () => {
  const host = await newHost()
  await set(host, { budget_mb: 10 })
  await fill(host, 1_000_000)
  const before = (await kindOf(host, 'events'))?.bytes ?? 0
  await commit(host, [], [event('backup.failed', { action: 'create', name: null, error: 'ü'.repeat(500_000) })])
  const after = (await kindOf(host, 'events'))?.bytes ?? 0
  // In whole pages.
  expect(after - before).toBeGreaterThan(1_000_000 - 2 * 4_096)
})

test('every kind of an area is one of the settings', async () => {
  const host = await newHost()
  const kinds = host.areas.flatMap(({ retained = {} }) => Object.keys(retained))
  const { kinds: found } = await shown(host)
  expect(['events', ...kinds].sort()).toEqual(found.map(({ kind }) => kind).sort())
})

test('an area that cannot delete does not keep the others from it', async () => {
  const host = await newHost()
  await fill(host, 100)
  const broken = { name: 'broken', prune: () => Promise.reject(new Error('a file is in use')) }
  await host.clock.advance(8 * day)
  await cleanUp({ ...localContext(host), areas: [broken, ...host.areas] })
  expect((await kindOf(host, 'events'))?.oldest_at ?? '').not.toBe('2026-01-05T12:00:00.000Z')
})

test('the areas, the rest and the free pages add up to the database, and events take the pages of their table', async () => {
  const host = await newHost()
  for (let count = 0; count < 500; count += 1) await fill(host, 2_000)
  const { database, kinds } = await shown(host)
  const { areas, other_bytes, free_bytes, bytes } = database
  expect(areas.reduce((sum, area) => sum + area.bytes, other_bytes + free_bytes)).toBe(bytes)
  expect(areas.map(({ area }) => area)).toEqual(expect.arrayContaining(['chat', 'memory', 'settings']))
  expect(other_bytes).toBeLessThan(bytes / 5)
  const [pages] = await host.sql.read<{ bytes: number }>(
    `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = 1 AND name IN ('events', 'events_age')`,
  )
  expect(kinds.find(({ kind }) => kind === 'events')?.bytes).toBe(pages?.bytes)
})

test('the daily cleanup is work of its own: a busy tick queues it once a day and does not wait', async () => {
  const host = await newHost()
  const cleanups = () => listWork(host, { kind: cleanupKind, status: ['queued', 'running', 'succeeded'] })
  await set(host, { files_days: 1 })
  const file = await upload(host, 'plan.txt')
  await host.clock.advance(2 * day)
  await tick(host)
  expect(await cleanups()).toEqual([])

  const busy = new AbortController()
  host.process.running.add('busy', { kind: 'test', leased_at: 0, abort: busy, done: Promise.resolve() })
  await dailyCleanup.queueDue(host)
  await dailyCleanup.queueDue(host)
  expect(await cleanups()).toMatchObject([{ status: 'queued' }])
  expect(await findFile(localContext(host), file.id)).not.toBeNull()
  await workOff(host)
  expect(await findFile(localContext(host), file.id)).toBeNull()
  expect(host.events).toContain('storage.cleaned')
})

test('a host that is woken for moments only cleans up too, once in two days', async () => {
  const host = await newHost()
  let passed = 0
  const queued = async (wait: number) => {
    passed += wait
    const woken = await testHost({ sql: host.sql })
    await woken.clock.advance(passed)
    woken.process.started_at = woken.clock.now()
    woken.process.running.add('busy', {
      kind: 'test',
      leased_at: 0,
      abort: new AbortController(),
      done: Promise.resolve(),
    })
    await dailyCleanup.queueDue(woken)
    const waiting = (await listWork(woken, { kind: cleanupKind })).length
    await workOff(woken)
    return waiting
  }
  await commit(host, [], [event('storage.cleaned', { database_bytes: 0 })])

  expect(await queued(day)).toBe(0)
  expect(await queued(day)).toBe(1)
  expect(await queued(day)).toBe(0)
  expect(await queued(day)).toBe(1)
})

test('a stop ends a cleanup between two batches, and the next start continues it', async () => {
  const host = await newHost()
  await set(host, { events_days: 1 })
  for (let count = 0; count < 500; count += 1) await fill(host, 10)
  await host.clock.advance(2 * day)
  const stop = new AbortController()
  const { write } = host.sql
  const sql: Host['sql'] = {
    ...host.sql,
    write(statements, options) {
      if (statements.some(({ sql }) => sql.startsWith('DELETE FROM events'))) stop.abort()
      return write(statements, options)
    },
  }
  const context = localContext(host)
  await expect(cleanUp({ ...context, sql, signal: stop.signal })).rejects.toThrow('aborted')
  expect((await kindOf(host, 'events'))?.rows).toBeGreaterThan(200)
  await cleanUp(context)
  expect((await kindOf(host, 'events'))?.rows).toBeLessThan(5)
})
