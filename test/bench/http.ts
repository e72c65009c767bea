import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { load } from './load.ts'
import { file, remove, setUp, startDaemonProcess } from './processes.ts'
import type { Row } from './table.ts'

const connections = 32
const seconds = 5
const rows = 200

async function fill(url: string, headers: Record<string, string>): Promise<void> {
  for (let index = 0; index < rows; index += 1) {
    const body = JSON.stringify({
      content: `Episode ${index}: a thing worth keeping, of a usual length.`,
      topics: ['bench'],
    })
    const response = await fetch(`${url}/api/memory/episodes`, { method: 'POST', headers, body })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  }
}

/** The bare server works on a copy of the daemon's database, taken after a clean stop. */
async function bareServer(folder: string, key: string) {
  const database = readdirSync(folder).find((name) => name.endsWith('.db'))
  if (!database) throw new Error('no database to copy')
  cpSync(join(folder, database), join(folder, 'bare.db'))
  const hash = createHash('sha256').update(key).digest('hex')
  const child = spawn(process.execPath, [file('test/bench/bare-server.ts'), join(folder, 'bare.db'), hash], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${port.toString().trim()}`, end: () => child.kill() }
}

export async function run(): Promise<Row[]> {
  const daemon = await startDaemonProcess()
  const key = await setUp(daemon.url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await fill(daemon.url, headers)
  const body = JSON.stringify({ content: 'A durable write of a usual length, to be kept for good.' })
  const read = { method: 'GET', headers, connections, seconds }
  const write = { method: 'POST', headers, body, connections, seconds }

  const reads = await load({ ...read, url: `${daemon.url}/api/memory/episodes` })
  const writes = await load({ ...write, url: `${daemon.url}/api/memory/episodes` })
  await daemon.end()
  const bare = await bareServer(daemon.folder, key)
  const bareReads = await load({ ...read, url: bare.url })
  const bareWrites = await load({ ...write, url: bare.url })
  bare.end()
  remove(daemon.folder)
  return [
    {
      what: 'authenticated GET of 20 rows',
      value: reads.per_second,
      unit: '/s',
      baseline: bareReads.per_second,
    },
    {
      what: '  p99',
      value: reads.p99_ms,
      unit: 'ms',
      baseline: bareReads.p99_ms,
      note: `${reads.failed} failed`,
    },
    { what: 'durable POST', value: writes.per_second, unit: '/s', baseline: bareWrites.per_second },
    {
      what: '  p99',
      value: writes.p99_ms,
      unit: 'ms',
      baseline: bareWrites.p99_ms,
      note: `${writes.failed} failed`,
    },
  ]
}
