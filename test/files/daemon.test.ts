import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StoredFile } from '../../runtime/files/schema.ts'
import { dataFolder, eventually, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'
import { openRaw } from '../support/raw.ts'
import { fileHead } from './kit.ts'

const mebibyte = 1024 * 1024

interface Service {
  daemon: RunningDaemon
  key: string
}

async function start(env: Record<string, string> = {}): Promise<Service> {
  const daemon = await startProcess(dataFolder(), { env })
  return { daemon, key: (await setUpProcess(daemon)).key }
}

/** The most memory that the process ever had, in bytes. */
function peakMemory({ pid }: RunningDaemon): number {
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}

/** Files below the folder of uploads, whatever they are. */
function left({ folder }: RunningDaemon): string[] {
  const uploads = join(folder, 'files', 'uploads')
  try {
    const entries = readdirSync(uploads, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch {
    return []
  }
}

const type = 'multipart/form-data; boundary=x'

/** A form with a file of `count` pieces of a mebibyte, each made when it is asked for. */
function largeForm(count: number, hash = createHash('sha256')) {
  async function* body() {
    yield Buffer.from(`--x\r\n${fileHead('large.bin')}\r\n\r\n`)
    for (let index = 0; index < count; index += 1) {
      const piece = Buffer.alloc(mebibyte, index)
      hash.update(piece)
      yield piece
    }
    yield Buffer.from('\r\n--x--\r\n')
  }
  return { body: body() as unknown as BodyInit, hash }
}

test.runIf(process.platform === 'linux')('a large file goes in and out without being held', async () => {
  const size = 400
  const { daemon, key } = await start({ SERVICE_UPLOAD_LIMIT_BYTES: String(size * mebibyte) })
  const authorization = `Bearer ${key}`
  const before = peakMemory(daemon)
  const { body, hash } = largeForm(size)
  const response = await fetch(`${daemon.url}/api/files`, {
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
    duplex: 'half',
  } as RequestInit)

  expect(response.status).toBe(201)
  const file = (await response.json()) as StoredFile
  const expected = hash.digest('hex')
  expect(file).toMatchObject({ size_bytes: size * mebibyte, sha256: expected })

  const download = await fetch(daemon.url + file.download_url, { headers: { authorization } })
  const received = createHash('sha256')
  for await (const piece of download.body ?? []) received.update(piece)
  expect(download.headers.get('content-length')).toBe(String(size * mebibyte))
  expect(received.digest('hex')).toBe(expected)
  expect(peakMemory(daemon) - before).toBeLessThan((size * mebibyte) / 2)
})

test('an aborted upload leaves nothing behind', async () => {
  const { daemon, key } = await start()
  const socket = await openRaw(daemon.port)
  const head = `POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${key}\r\n`
  socket.write(`${head}Content-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n`)
  socket.write(`--x\r\n${fileHead('a.bin')}\r\n\r\n`)
  socket.write(Buffer.alloc(3 * mebibyte))
  await eventually(() => left(daemon).length === 1)
  socket.destroy()
  await eventually(() => left(daemon).length === 0)
  const listed = await fetch(`${daemon.url}/api/files`, { headers: { authorization: `Bearer ${key}` } })

  expect(await listed.json()).toMatchObject({ total: 0 })
})

test('an incomplete upload of a killed daemon is removed at the next start', async () => {
  const { daemon, key } = await start()
  const socket = await openRaw(daemon.port)
  const head = `POST /api/files HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${key}\r\n`
  socket.write(`${head}Content-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n--x\r\n${fileHead('a.bin')}\r\n\r\n`)
  socket.write(Buffer.alloc(3 * mebibyte))
  await eventually(() => left(daemon).length === 1)
  daemon.signal('SIGKILL')
  await daemon.ended
  expect(left(daemon)).toHaveLength(1)
  const again = await startProcess(daemon.folder)

  expect(left(again)).toEqual([])
})

test.runIf(process.platform === 'linux')('a download may be left in the middle', async () => {
  const { daemon, key } = await start()
  const authorization = `Bearer ${key}`
  const { body } = largeForm(20)
  const headers = { authorization, 'content-type': type }
  const sent = await fetch(`${daemon.url}/api/files`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  const { download_url } = (await sent.json()) as StoredFile
  const openFiles = () => readdirSync(`/proc/${daemon.pid}/fd`, { withFileTypes: true }).length
  const before = openFiles()
  for (let count = 0; count < 10; count += 1) {
    const response = await fetch(daemon.url + download_url, { headers: { authorization } })
    await response.body?.cancel()
  }
  await eventually(() => openFiles() <= before + 3)

  expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
})
