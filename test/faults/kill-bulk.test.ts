import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../adapters/libsql/database.ts'
import { dataFolder, eventually, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'

const many = 3_000

const file = JSON.stringify({
  version: 1,
  episodes: Array.from({ length: many }, (_, index) => ({
    id: `ep_bulk${String(index).padStart(6, '0')}`,
    content: `Anna met Person ${index} in Berlin and spoke of the harbour`,
    provenance: { conversation_id: `conv_${index % 9}`, message_id: null, channel: null, url: null },
  })),
})

type Headers = Record<string, string>
const importFile = ({ url }: RunningDaemon, headers: Headers) =>
  fetch(`${url}/api/settings/memory/import`, { method: 'POST', headers, body: file })
const wipe = ({ url }: RunningDaemon, headers: Headers) =>
  fetch(`${url}/api/settings/memory/data`, { method: 'DELETE', headers })
const found = async ({ url }: RunningDaemon, headers: Headers) =>
  (
    (await (await fetch(`${url}/api/memory/search?mode=keyword&q=harbour`, { headers })).json()) as {
      total: number
    }
  ).total
const total = async ({ url }: RunningDaemon, headers: Headers) =>
  ((await (await fetch(`${url}/api/memory/episodes?limit=1`, { headers })).json()) as { total: number }).total

async function kill(daemon: RunningDaemon): Promise<void> {
  daemon.signal('SIGKILL')
  await daemon.ended
}

/** What stands beside the episodes belongs to episodes that are there, and the indexes of words say the same as they. */
function expectWhole(data: string): number {
  const db = openDatabase(join(data, 'hearthd.db'))
  const count = (sql: string) => (db.prepare(sql).all([]) as { n: number }[])[0]?.n ?? -1
  try {
    expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
    expect(db.prepare('PRAGMA foreign_key_check').all([])).toEqual([])
    db.prepare(`INSERT INTO episodes_fts (episodes_fts, rank) VALUES ('integrity-check', 1)`).run([])
    db.prepare(`INSERT INTO pairs_fts (pairs_fts) VALUES ('integrity-check')`).run([])
    const gone = 'NOT IN (SELECT rowid FROM episodes)'
    expect(count(`SELECT count(*) AS n FROM vectors_pending WHERE episode ${gone}`)).toBe(0)
    expect(count(`SELECT count(*) AS n FROM episode_vectors WHERE id / 64 ${gone}`)).toBe(0)
    return count('SELECT count(*) AS n FROM episodes')
  } finally {
    db.close()
  }
}

test('killed during an import: stored items are complete, and the same file adds the rest', async () => {
  const data = dataFolder()
  const first = await startProcess(data)
  const { headers } = await setUpProcess(first)
  const importing = importFile(first, headers).catch(() => null)
  await eventually(async () => ((await total(first, headers)) > 0 ? true : null))
  await kill(first)
  await importing
  const kept = expectWhole(data)
  expect(kept).toBeGreaterThan(0)

  const second = await startProcess(data)
  expect(await found(second, headers)).toBe(kept)
  expect(await (await importFile(second, headers)).json()).toMatchObject({
    imported: many - kept,
    skipped: kept,
  })
  expect(await found(second, headers)).toBe(many)
  await kill(second)
  expect(expectWhole(data)).toBe(many)
})

test('killed during a wipe: everything is there or nothing, and another wipe clears it', async () => {
  const data = dataFolder()
  const first = await startProcess(data)
  const { headers } = await setUpProcess(first)
  expect((await importFile(first, headers)).status).toBe(200)
  let daemon = first
  for (const looks of [0, 2, 6, 15]) {
    const wiping = wipe(daemon, headers).catch(() => null)
    for (let look = 0; look < looks; look += 1) await fetch(`${daemon.url}/health`)
    await kill(daemon)
    await wiping
    const left = expectWhole(data)
    expect([0, many]).toContain(left)
    daemon = await startProcess(data)
    expect(await found(daemon, headers)).toBe(left)
  }
  expect((await wipe(daemon, headers)).status).toBe(200)
  expect(await found(daemon, headers)).toBe(0)
  expect(await (await importFile(daemon, headers)).json()).toMatchObject({ imported: many })
  expect(await found(daemon, headers)).toBe(many)
  await kill(daemon)
  expect(expectWhole(data)).toBe(many)
})
