import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../adapters/libsql/database.ts'
import { dataFolder, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'

const rounds = 8
const writersAtOnce = 6

/** What the daemon has acknowledged; nothing of it may be lost. */
interface Ledger {
  agents: Map<string, string>
  episodes: Set<string>
  gone: Set<string>
}

type Send = (method: string, path: string, body?: unknown) => Promise<Response>

/** Makes, changes and removes until the daemon is gone, and notes what was acknowledged. */
async function work(send: Send, ledger: Ledger): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const created = await send('POST', '/api/agents', { name: `agent ${turn}` })
    if (created.status !== 201) throw new Error(`${created.status} ${await created.text()}`)
    const { id } = (await created.json()) as { id: string }
    ledger.agents.set(id, `agent ${turn}`)
    const episode = await send('POST', '/api/memory/episodes', { content: `note ${turn}` })
    if (episode.status === 201) ledger.episodes.add(((await episode.json()) as { id: string }).id)
    if (turn % 3 === 0) await rename(send, ledger, id)
    if (turn % 5 === 0) await remove(send, ledger, id)
  }
}

/** While a change is under way its outcome is open: until it is acknowledged the agent is not in the ledger. */
async function rename(send: Send, { agents }: Ledger, id: string): Promise<void> {
  agents.delete(id)
  const response = await send('PUT', `/api/agents/${id}`, { name: 'renamed' })
  if (response.status === 200) agents.set(id, 'renamed')
}

async function remove(send: Send, { agents, gone }: Ledger, id: string): Promise<void> {
  agents.delete(id)
  const response = await send('DELETE', `/api/agents/${id}`)
  if (response.status === 200) gone.add(id)
}

const sender =
  ({ url }: RunningDaemon, headers: Record<string, string>): Send =>
  (method, path, body) =>
    fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

test('killed repeatedly under mixed load: no acknowledged write is lost, and the store is intact', async () => {
  const data = dataFolder()
  const ledger: Ledger = { agents: new Map(), episodes: new Set(), gone: new Set() }
  let headers: Record<string, string> = {}
  for (let round = 0; round < rounds; round += 1) {
    const daemon = await startProcess(data)
    if (round === 0) headers = (await setUpProcess(daemon)).headers
    const before = ledger.agents.size + ledger.episodes.size
    const load = Array.from({ length: writersAtOnce }, () =>
      work(sender(daemon, headers), ledger).catch(() => undefined),
    )
    const enough = 5 + Math.floor(Math.random() * 60)
    while (ledger.agents.size + ledger.episodes.size - before < enough)
      await new Promise((resolve) => setImmediate(resolve))
    daemon.signal('SIGKILL')
    await daemon.ended
    await Promise.all(load)
  }

  const daemon = await startProcess(data)
  const send = sender(daemon, headers)
  for (const [id, name] of ledger.agents)
    expect(await (await send('GET', `/api/agents/${id}`)).json()).toMatchObject({ id, name })
  for (const id of ledger.episodes) expect((await send('GET', `/api/memory/episodes/${id}`)).status).toBe(200)
  for (const id of ledger.gone) expect((await send('GET', `/api/agents/${id}`)).status).toBe(404)
  daemon.signal('SIGTERM')
  await daemon.ended

  const db = openDatabase(join(data, 'hearthd.db'))
  expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
  const silent = `SELECT count(*) AS count FROM agents WHERE NOT EXISTS (
    SELECT 1 FROM events WHERE type = 'agent.created' AND json_extract(data, '$.agent_id') = agents.id)`
  expect(db.prepare(`${silent} AND is_default = 0`).all([])).toEqual([{ count: 0 }])
  db.close()
})
