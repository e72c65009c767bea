import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { load } from './load.ts'
import type { Load, LoadResult } from './load-worker.ts'
import { file, freePort, type Running, remove, setUp, startDaemonProcess } from './processes.ts'
import type { Row } from './table.ts'

const maxDaemons = 3
const connections = 16
const seconds = Number(process.env.SECONDS ?? 5)

/** The test server in a process of its own. */
async function startServer(path: string) {
  const port = await freePort()
  const start = `import(${JSON.stringify(file('test/fixtures/libsql-server/server.ts'))})
    .then(({ startLibsqlServer }) => startLibsqlServer(${JSON.stringify(path)}, undefined, ${port})).then(() => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { url: `http://127.0.0.1:${port}`, end: () => child.kill() }
}

/** Reads, writes and units of work a second of one, two and three daemons on one database server, each with its own clients. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const database = join(folder, 'server.db')
  const server = await startServer(database)
  const env = { SERVICE_DATABASE_URL: server.url, SERVICE_SECRET_KEY: 'one key for all daemons' }
  const daemons: Running[] = []
  const rows: Row[] = []
  let key = ''
  let workflow = ''
  try {
    for (let count = 1; count <= maxDaemons; count += 1) {
      const daemon = await startDaemonProcess(undefined, { env })
      daemons.push(daemon)
      if (count === 1) {
        key = await setUp(daemon.url)
        workflow = await prepare(daemon.url, key)
      }
      rows.push(...(await measure(daemons, { key, workflow, database })))
    }
  } finally {
    for (const { end, folder: own } of daemons) {
      await end()
      remove(own)
    }
    server.end()
    remove(folder)
  }
  return rows
}

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

/** 20 rows to read, and a workflow of which each execution is two units of work: one before a wait and one after it. */
async function prepare(url: string, key: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const response = await fetch(url + path, { method: 'POST', headers: headersOf(key), body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: string }
  }
  const nodes = [
    { id: 'start', type: 'trigger.manual', name: 'Start' },
    { id: 'wait', type: 'delay', name: 'Wait', params: { seconds: 1 } },
  ]
  for (let index = 0; index < 20; index += 1)
    await post('/api/workflows', { name: `Workflow ${index}`, nodes: nodes.slice(0, 1) })
  const edges = [{ id: 'edge', source: 'start', target: 'wait' }]
  return (await post('/api/workflows', { name: 'Wait', nodes, edges, settings: { max_concurrent: 1_000 } })).id
}

interface Prepared {
  key: string
  workflow: string
  database: string
}

async function measure(daemons: readonly Running[], { key, workflow, database }: Prepared): Promise<Row[]> {
  const at = async (path: string, options: Partial<Load>): Promise<LoadResult[]> =>
    Promise.all(
      daemons.map(({ url }) =>
        load({ method: 'GET', headers: headersOf(key), connections, seconds, ...options, url: url + path }),
      ),
    )
  const name = daemons.length === 1 ? '1 daemon' : `${daemons.length} daemons`
  const rowOf = (what: string, results: readonly LoadResult[]): Row => ({
    what: `${name}: ${what}`,
    value: results.reduce((sum, { per_second }) => sum + per_second, 0),
    unit: '/s',
    note: `p50 ${Math.max(...results.map(({ p50_ms }) => p50_ms)).toFixed(0)} ms, ${results.reduce((sum, { failed }) => sum + failed, 0)} failed`,
  })
  const reads = await at('/api/workflows?limit=20', {})
  const writes = await at('/api/agents', { method: 'POST', body: JSON.stringify({ name: 'Another' }) })
  const db = new Database(database, { readonly: true, timeout: 5_000 })
  const ended = () =>
    (
      db
        .prepare(`SELECT count(*) AS count FROM work WHERE kind = 'workflows.step' AND finished_at IS NOT NULL`)
        .get([]) as { count: number }
    ).count
  const before = ended()
  const begun = performance.now()
  await at(`/api/workflows/${workflow}/execute`, { method: 'POST', body: '{}', connections: 8 })
  while (db.prepare(`SELECT 1 FROM work WHERE kind = 'workflows.step' AND finished_at IS NULL`).get([]))
    await new Promise((resolve) => setTimeout(resolve, 50))
  const units = ((ended() - before) * 1_000) / (performance.now() - begun)
  db.close()
  return [
    rowOf('reads of 20 rows', reads),
    rowOf('durable writes', writes),
    { what: `${name}: units of work`, value: units, unit: '/s' },
  ]
}
