import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'
import { update as change, create, list, remove } from '../../../handlers/memory/episodes.ts'
import { clear, download, upload } from '../../../handlers/settings/memory.ts'
import { sections } from '../../../handlers/settings/sections.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Episode } from '../../../runtime/memory/schema.ts'
import { memorySettings } from '../../../runtime/memory/settings.ts'
import { day } from '../../../runtime/time.ts'
import { call } from '../../support/call.ts'
import { chat } from '../../support/chat.ts'
import { adminCaller, testHost } from '../../support/host.ts'
import { scriptedModels, text } from '../../support/models.ts'
import { workOff } from '../../support/work.ts'
import { endpoints, hostWithModel, latest } from '../jobs/support.ts'

const { show, update } = sections.memory

const add = async (host: Host, body: Record<string, unknown>): Promise<Episode> =>
  (await call(create, host, { body })).json()
const contents = async (host: Host): Promise<string[]> => {
  const { episodes } = await (await call(list, host, { query: { limit: '100' } })).json()
  return episodes.map(({ content }: Episode) => content)
}

test('an update changes only the given settings', async () => {
  const host = await testHost()
  const defaults = memorySettings.defaults(host.config)
  expect(await (await call(show, host)).json()).toEqual(defaults)
  const changed = await call(update, host, { body: { retention: { max_episodes: 10 }, recall_limit: 3 } })

  expect(await changed.json()).toEqual({
    ...defaults,
    recall_limit: 3,
    retention: { ...defaults.retention, max_episodes: 10 },
  })
})

test.each([
  [{ consolidation: { cron: 'at four' } }, 'consolidation.cron'],
  [{ consolidation: { cron: '2027-01-01T00:00:00' } }, 'consolidation.cron'],
  [{ embedding: { provider: 'openai' } }, 'embedding.provider'],
  [{ min_score: 2 }, 'min_score'],
  [{ recal_limit: 2 }, ''],
])('%j is refused', async (body, path) => {
  const response = await call(update, await testHost(), { body })

  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toBe(path)
})

test('imported episodes are durable, also those stored by an interrupted import', async () => {
  const { sql } = await testHost()
  const kept: boolean[] = []
  const write: typeof sql.write = (statements, options) => {
    kept.push(options?.durable ?? true)
    return sql.write(statements, options)
  }
  const host = await testHost({ sql: { ...sql, write } })
  const body = { episodes: [{ id: 'ep_one', content: 'The boiler leaks' }] }
  const dry = { body, query: { dry_run: 'true' } }
  for (const options of [{ body }, { body }]) {
    kept.length = 0
    await call(upload, host, options)
    expect(kept.at(-1)).toBe(true)
  }

  kept.length = 0
  await call(upload, host, dry)
  expect(kept).toEqual([])
})

test('an export contains everything and is imported once', async () => {
  const host = await testHost({ models: scriptedModels(text('How nice.')) })
  await chat(host, { message: 'My sister Ana lives in Lisbon' })
  await add(host, { content: 'The boiler leaks', topics: ['boiler'], importance: 0.8 })
  const response = await call(download, host)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="hearthd-memory-2026-01-05.json"')
  const file = await response.text()
  const parsed = JSON.parse(file)
  expect(parsed).toMatchObject({
    format: 'hearthd-memory',
    version: 1,
    entities: expect.any(Array),
    relations: [],
  })
  expect(parsed.episodes).toMatchObject([
    { content: 'My sister Ana lives in Lisbon', reply: 'How nice.', position: 0, trust: 'owner' },
    { content: 'The boiler leaks', reply: '', importance: 0.8 },
  ])

  const other = await testHost()
  const dry = await call(upload, other, { body: file, query: { dry_run: 'true' } })
  expect(await dry.json()).toEqual({ imported: 2, skipped: 0, invalid: [], dry_run: true })
  expect(await contents(other)).toEqual([])
  expect(await (await call(upload, other, { body: file })).json()).toMatchObject({ imported: 2, skipped: 0 })
  expect(await (await call(upload, other, { body: file })).json()).toMatchObject({ imported: 0, skipped: 2 })
  const again = JSON.parse(await (await call(download, other)).text())
  const facts = ({ updated_at: _, recalled: __, ...rest }: Record<string, unknown>) => rest
  expect(again.episodes.map(facts)).toEqual(parsed.episodes.map(facts))
})

test('an empty memory exports as valid JSON', async () => {
  const file = await (await call(download, await testHost())).json()

  expect(file).toMatchObject({ episodes: [], entities: [], relations: [] })
})

test('invalid episodes are reported, and other files are refused', async () => {
  const host = await testHost()
  const body = JSON.stringify({ episodes: [{ content: 'fine' }, { content: '' }, 7] })
  const result = await (await call(upload, host, { body })).json()

  expect(result).toMatchObject({ imported: 1, skipped: 0, invalid: [{ index: 1 }, { index: 2 }] })
  expect((await call(upload, host, { body: '{"a": 1}' })).status).toBe(400)
  expect((await call(upload, host, { body: 'not json' })).status).toBe(400)
})

test('clearing leaves no row, index, history or trace in the files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-clear-'))
  const { sql, close } = await openStore({ data_dir: folder })
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const host = await testHost({ sql, models: scriptedModels(text('The harbour is blue.')) })
  const { id } = await add(host, { content: 'The zanzibarian harbour is blue', topics: ['zanzibarian'] })
  const gone = await add(host, { content: 'A zanzibarian boat' })
  await workOff(host)
  await call(change, host, { params: { id }, body: { content: 'The zanzibarian harbour is green' } })
  await call(remove, host, { params: { id: gone.id } })
  await workOff(host)
  const held = () => readdirSync(folder).some((name) => /zanzibarian/i.test(readFileSync(join(folder, name), 'latin1')))
  expect(held()).toBe(true)

  expect(await (await call(clear, host)).json()).toEqual({ cleared: 1 })
  const tables = await sql.read<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND (name LIKE 'episode%' OR name LIKE 'entit%' OR name LIKE 'relation%' OR name LIKE 'turn_recalls') AND name NOT LIKE '%fts%'`,
  )
  for (const { name } of tables) expect([name, await sql.read(`SELECT * FROM "${name}"`)]).toEqual([name, []])
  expect(tables.length).toBeGreaterThan(6)
  expect(held()).toBe(false)
  expect(host.events).toContain('memory.cleared')

  await add(host, { content: 'A new harbour' })
  expect(await contents(host)).toEqual(['A new harbour'])
})

test('a file of a later version is refused', async () => {
  const host = await testHost()
  const body = JSON.stringify({ version: 2, episodes: [{ content: 'The river is low' }] })
  const response = await call(upload, host, { body })
  expect(response.status).toBe(400)
  expect(((await response.json()) as { message: string }).message).toContain('version 2')
  expect(await host.sql.read('SELECT 1 FROM episodes')).toEqual([])
})

test('clearing needs an administrator', async () => {
  const host = await testHost()
  const caller = { ...adminCaller, scopes: ['read', 'write'] as const }
  expect((await call(clear, host, { caller })).status).toBe(403)
})

test('clearing stops memory jobs, so that nothing is stored afterwards', async () => {
  const asked = Promise.withResolvers<void>()
  const { host } = await hostWithModel(async function* ({ signal }) {
    asked.resolve()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    yield* []
  })
  await add(host, { content: 'Ada lives in Oslo' })
  await call(endpoints.consolidate, host, { body: {} })
  const working = workOff(host)
  await asked.promise

  expect(await (await call(clear, host)).json()).toEqual({ cleared: 1 })
  await working
  expect(await latest(host, 'consolidate')).toMatchObject({ status: 'error', error: 'Memory was cleared' })
  expect(await host.sql.read('SELECT * FROM entities')).toEqual([])
  expect(await host.sql.read('SELECT state FROM graphs')).toEqual([{ state: 'live' }])
})

test('retention deletes old, unimportant and excess episodes, but none written by hand', async () => {
  const host = await testHost()
  const episode = (content: string, importance: number, source: string) => ({ content, importance, source })
  const file = JSON.stringify({
    episodes: [
      { ...episode('old by hand', 0.1, 'manual'), created_at: '2025-01-01T00:00:00.000Z' },
      episode('little by hand', 0.1, 'manual'),
      episode('little', 0.1, 'conversation'),
      episode('some', 0.4, 'conversation'),
      episode('more', 0.5, 'conversation'),
      episode('most', 0.9, 'conversation'),
    ],
  })
  await call(upload, host, { body: file })
  const keep = async (retention: Record<string, number | null>) => {
    await call(update, host, { body: { retention } })
    await workOff(host)
    return (await contents(host)).sort()
  }

  expect(await keep({ max_age_days: 30 })).toEqual(['little', 'little by hand', 'more', 'most', 'some'])
  expect(await keep({ delete_below_importance: 0.3 })).toEqual(['little by hand', 'more', 'most', 'some'])
  expect(await keep({ max_episodes: 2 })).toEqual(['little by hand', 'most'])
  expect(host.events).toContain('memory.retention.progress')
  await host.clock.advance(31 * day)
  await workOff(host)
  expect(await contents(host)).toEqual([])
})

test('without rules and versions retention does not run', async () => {
  const host = await testHost()
  await call(update, host, { body: { recall_limit: 3 } })
  await workOff(host)

  expect(await host.sql.read(`SELECT * FROM work WHERE kind = 'memory.retention' AND status = 'queued'`)).toEqual([])
})
