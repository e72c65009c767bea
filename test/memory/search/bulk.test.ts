import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { NewEpisode } from '../../../runtime/memory/schema.ts'
import { embedPending } from '../../../runtime/memory/search/indexing.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import { wipeVectors } from '../../../runtime/memory/search/vector-store.ts'
import { searchState } from '../../../runtime/memory/state.ts'
import { madeUpTexts } from '../../bench/memory/made-up.ts'
import { addEpisodes } from '../../support/add-episodes.ts'
import { peer, testHost } from '../../support/host.ts'

const many = 2_000

test('many episodes are imported in order, found, half of them deleted, and wiped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bulk-'))
  const store = await openStore({ data_dir: folder })
  const host = await testHost({ sql: store.sql })
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const texts = madeUpTexts(3)
  const inputs = Array.from({ length: many }, (_, index) => ({
    ...NewEpisode.parse({ content: `entry${index} ${texts.text(12)}` }),
    created_at: new Date(Date.UTC(2025, 0, 1) + index * 60_000).toISOString(),
    provenance: { conversation_id: `conv_${index % 7}`, message_id: null, channel: null, url: null },
  }))
  const first = async (q: string) =>
    (await searchEpisodes(host, { q, mode: 'hybrid', filter: {}, limit: 1, offset: 0 })).results[0]?.episode
  const count = async (table: string) =>
    (await store.sql.read<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n

  const ids = await addEpisodes(context, inputs)
  expect(ids).toHaveLength(many)
  expect(host.events.filter((type) => type === 'memory.episodes.imported').length).toBeLessThan(many / 10)
  expect(await embedPending(context)).toEqual({ embedded: many, failed: 0 })
  expect(await first('entry1234')).toMatchObject({ id: ids[1234], created_at: inputs[1234]?.created_at })

  await context.commit([{ sql: 'DELETE FROM episodes WHERE rowid % 2 = 0' }])
  expect(await count('episode_vectors')).toBe(many / 2)
  expect(searchState(host).index('local/words').size).toBe(many)
  const gone = inputs.findIndex(({ content }) => content.startsWith('entry1235 '))
  expect((await first('entry1235'))?.id).not.toBe(ids[gone])
  expect(searchState(host).index('local/words').size).toBe(many / 2)

  await context.commit([...wipeVectors(), { sql: 'DELETE FROM episodes' }, ...wipeVectors()])
  expect(await first('entry1234')).toBeUndefined()
  for (const table of ['episode_vectors', 'vectors_pending', 'conversation_pieces', 'conversations_fts'])
    expect([table, await count(table)]).toEqual([table, 0])
  await store.close()
  rmSync(folder, { recursive: true })
})
