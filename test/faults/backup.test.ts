import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { backupDamage, checksumDamage, filesDamage, readBackup } from '../../adapters/libsql/backup.ts'
import { openDatabase } from '../../adapters/libsql/database.ts'
import { eventually } from '../support/daemon-process.ts'
import { Service } from './service.ts'

interface Job {
  id: string
  status: string
  backup: string | null
  error: string | null
}
interface Backup {
  name: string
  reason: string
  has_key: boolean
}
interface Listed {
  backups: Backup[]
  job: Job | null
}

let service: Service
const seed = Number(process.env.SEED ?? 1)

beforeAll(async () => {
  service = await Service.start()
})

const folder = () => join(service.folder, 'backups')
const list = () => service.read<Listed>('GET', '/api/settings/backups')
const path = (name: string, part = '') => `/api/settings/backups/${name}${part}`

const ended = (id: string) =>
  eventually(async () => {
    const job = await service.read<Job>('GET', `/api/settings/backup/jobs/${id}`)
    return job.status === 'running' ? null : job
  })

async function backUp(body: object = {}): Promise<string> {
  const job = await ended((await service.read<Job>('POST', '/api/settings/backup', body)).id)
  expect(job).toMatchObject({ status: 'done', error: null })
  return job.backup ?? ''
}

const remember = (content: string) => service.read<{ id: string }>('POST', '/api/memory/episodes', { content })

const episodes = async () => (await service.read<{ total: number }>('GET', '/api/memory/episodes?limit=1')).total

const storedIn = (file: string): Set<string> =>
  readBackup(file, undefined, (db) => {
    expect(db.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }])
    expect(db.prepare('PRAGMA foreign_key_check').all([])).toEqual([])
    return new Set((db.prepare('SELECT id FROM episodes').all([]) as { id: string }[]).map(({ id }) => id))
  })

test('a backup under load is sound and contains every write acknowledged before it began', async () => {
  const acknowledged: string[] = []
  let writing = true
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let count = 0; writing; count += 1)
      acknowledged.push((await remember(`Writer ${writer} wrote ${count} letters to Anna in Berlin`)).id)
  })
  await eventually(async () => (acknowledged.length > 100 ? true : null))
  const before = [...acknowledged]
  const name = await backUp()
  writing = false
  await Promise.all(writers)

  const stored = storedIn(join(folder(), name))
  expect(before.filter((id) => !stored.has(id))).toEqual([])
  expect(checksumDamage(join(folder(), name))).toBeNull()
  const { id } = await service.read<Job>('POST', path(name, '/verify'))
  expect(await ended(id)).toMatchObject({ status: 'done' })
  const inside = await service.read<{ areas: { area: string; tables: object[] }[] }>('GET', path(name))
  expect(inside.areas.find(({ area }) => area === 'memory')?.tables).toContainEqual({
    table: 'episodes',
    rows: stored.size,
  })
})

async function uploadFile(content: string): Promise<string> {
  const body = new FormData()
  body.set('file', new File([content], 'letter.txt', { type: 'text/plain' }))
  const headers = { authorization: `Bearer ${service.key}` }
  const response = await fetch(`${service.url}/api/files`, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}

const contentOf = async (id: string) => {
  const response = await service.send('GET', `/api/files/${id}/content`)
  return response.ok ? response.text() : null
}

test('files are in a backup, in its download and in an upload of it, and a restore puts them back', async () => {
  const id = await uploadFile('Anna lives in Berlin')
  const name = await backUp()
  const without = await backUp({ files: false })
  const response = await service.send('GET', path(name, '/content'))
  expect(response.headers.get('content-disposition')).toContain(name.replace(/db$/, 'tar'))
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  const uploaded = await fetch(`${service.url}/api/settings/backups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  const copy = (await uploaded.json()) as { name: string; files: { count: number } }
  expect(copy.files.count).toBeGreaterThan(0)
  const restore = async (from: string) => {
    const marker = await remember('Only until the restore')
    await service.read('POST', path(from, '/restore'), { confirm: from })
    await eventually(async () => {
      const seen = await service.send('GET', `/api/memory/episodes/${marker.id}`).catch(() => null)
      return seen?.status === 404 ? true : null
    })
  }
  await service.read('DELETE', `/api/files/${id}`)
  await restore(without)
  expect(await contentOf(id)).toBeNull()
  await restore(copy.name)
  expect(await contentOf(id)).toBe('Anna lives in Berlin')

  const cut = bytes.slice(0, bytes.length - 4_096)
  const refused = await fetch(`${service.url}/api/settings/backups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/octet-stream' },
    body: cut,
  })
  expect(refused.status).toBe(409)
  expect(readdirSync(folder()).filter((file) => file.includes('.partial'))).toEqual([])
})

test('the master key is in a backup only if it was asked for', async () => {
  const without = await backUp()
  const key = readFileSync(join(service.folder, 'master.key'))
  expect(existsSync(join(folder(), `${without}.master.key`))).toBe(false)
  expect(readFileSync(join(folder(), without)).includes(key)).toBe(false)
  expect((await service.send('GET', path(without, '/key'))).status).toBe(404)

  const response = await service.send('GET', path(await backUp({ keys: true }), '/key'))
  expect(Buffer.from(await response.arrayBuffer()).equals(key)).toBe(true)
})

test('a restore replaces the data, keeps what it replaced as a backup, and the daemon continues', async () => {
  const name = await backUp()
  const before = await episodes()
  const later = await remember('Made after the backup, about the harbour of Hamburg')
  const { pid, url } = service

  expect((await service.send('POST', path(name, '/restore'), { confirm: 'yes' })).status).toBe(422)
  await service.read('POST', path(name, '/restore'), { confirm: name })
  await eventually(async () => {
    const seen = await service.send('GET', `/api/memory/episodes/${later.id}`).catch(() => null)
    return seen?.status === 404 ? true : null
  })

  expect([service.pid, service.url, service.alive]).toEqual([pid, url, true])
  expect(await episodes()).toBe(before)
  const { backups } = await list()
  const kept = backups.find(({ reason }) => reason === 'before-restore')
  expect(storedIn(join(folder(), kept?.name ?? '')).has(later.id)).toBe(true)
  // To look inside leaves nothing next to a backup.
  await service.read('GET', path(kept?.name ?? ''))
  expect(readdirSync(folder()).filter((file) => /-(wal|shm)$/.test(file))).toEqual([])
  const { entries } = await service.read<{ entries: { action: string; target: string }[] }>(
    'GET',
    '/api/auth/audit?limit=5',
  )
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'backup.restored', target: expect.stringContaining(name) }),
  )

  await service.read('POST', path(kept?.name ?? '', '/restore'), { confirm: kept?.name })
  await eventually(async () => {
    const seen = await service.send('GET', `/api/memory/episodes/${later.id}`).catch(() => null)
    return seen?.status === 200 ? true : null
  })
})

test('a download can be uploaded again; damaged, foreign and newer ones are refused and not listed', async () => {
  const name = await backUp()
  const bytes = readFileSync(join(folder(), name))
  const upload = (body: Uint8Array) =>
    fetch(`${service.url}/api/settings/backups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/octet-stream' },
      body: body as BodyInit,
    })
  expect(await (await upload(bytes)).json()).toMatchObject({ reason: 'uploaded', bytes: bytes.length })

  const known = (await list()).backups.length
  const copy = join(service.folder, 'newer.db')
  writeFileSync(copy, bytes)
  const db = openDatabase(copy)
  db.exec(`INSERT INTO schema_migrations VALUES (99, 'later', '9.8.7', '2030-01-01T00:00:00.000Z')`)
  db.close()
  const newer = await upload(readFileSync(copy))
  expect(newer.status).toBe(409)
  expect(await newer.json()).toMatchObject({ message: expect.stringContaining('hearthd 9.8.7') })

  const damaged = Buffer.from(bytes)
  damaged.fill(7, 8_192, 60_000)
  expect((await upload(damaged)).status).toBe(409)
  expect((await upload(Buffer.from('a letter to Anna'))).status).toBe(409)
  expect((await list()).backups).toHaveLength(known)

  writeFileSync(join(folder(), name), damaged)
  const restore = await service.read<Job>('POST', path(name, '/restore'), { confirm: name })
  expect(await ended(restore.id)).toMatchObject({
    status: 'error',
    error: expect.stringContaining('cannot be restored'),
  })
  const { id } = await service.read<Job>('POST', path(name, '/verify'))
  expect(await ended(id)).toMatchObject({ status: 'error', error: expect.stringContaining('damaged') })
  await service.read('DELETE', path(name))
  expect((await service.send('GET', path(name))).status).toBe(404)
  expect((await service.send('GET', path('..%2Fhearthd.db', '/content'))).status).toBe(404)
})

test('if the restored data cannot be started, the daemon returns to the previous data', async () => {
  const name = await backUp()
  const file = join(folder(), name)
  const db = openDatabase(file)
  db.exec('DROP TABLE settings_changes')
  db.close()
  rmSync(`${file}.json`)
  const { id } = await remember('Kept although another backup was restored')
  await service.read('POST', path(name, '/restore'), { confirm: name })
  const failed = await eventually(async () => {
    const response = await service.send('GET', '/api/auth/audit?limit=5').catch(() => null)
    const { entries } = response?.ok
      ? ((await response.json()) as { entries: { action: string; outcome: string; target: string }[] })
      : { entries: [] }
    return entries.find(({ action, target }) => action === 'backup.restored' && target.startsWith(name)) ?? null
  })
  expect(failed.outcome).toBe('failed')
  expect(await service.read('GET', `/api/memory/episodes/${id}`)).toMatchObject({ id })
})

test('a backup cut by kill -9 never looks complete', async () => {
  const random = (step: number) => Math.abs(Math.sin(seed * 1_000 + step))
  for (let round = 0; round < 6; round += 1) {
    const known = new Set((await list()).backups.map(({ name }) => name))
    const { id } = await service.read<Job>('POST', '/api/settings/backup')
    const looks = Math.floor(random(round) * 30)
    for (let look = 0; look < looks; look += 1) await service.send('GET', '/health/live')
    await service.kill()
    const named = readdirSync(folder()).filter((name) => name.endsWith('.db') && !known.has(name))
    for (const name of named) {
      const file = join(folder(), name)
      expect([backupDamage(file, undefined, 'integrity_check'), checksumDamage(file)]).toEqual([null, null])
      expect(filesDamage(file)).toBeNull()
    }
    await service.restart()
    const complete = new Set((await list()).backups.map(({ name }) => name))
    const left = readdirSync(folder()).filter((name) => !complete.has(name.replace(/(\.db)\..*/, '$1')))
    expect(left).toEqual([])
    expect((await service.read<Job>('GET', `/api/settings/backup/jobs/${id}`)).status).not.toBe('running')
  }
  await backUp()
})
