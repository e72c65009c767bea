import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderHolder } from '../../../adapters/libsql/lock.ts'
import { createMemoryLog } from '../../../adapters/memory/log.ts'
import { type Daemon, startDaemon } from '../../../adapters/node/daemon.ts'
import { readEnvironment } from '../../../adapters/node/environment.ts'
import { CannotListen } from '../../../adapters/node/listen.ts'
import { openRaw, parseRaw, sendRaw } from '../../support/raw.ts'

let folder: string
let daemon: Daemon
const log = createMemoryLog()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-node-'))
  daemon = await startDaemon({ environment: environmentFor(folder), log })
})
afterAll(async () => {
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
})

const environmentFor = (data_dir: string, own: Record<string, string> = {}) =>
  readEnvironment({
    SERVICE_DATA_DIR: data_dir,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    SERVICE_ALLOWED_HOSTS: 'hearth.lan',
    ...own,
  })

const ask = (line: string, headers: string[] = ['Host: 127.0.0.1'], body = '') =>
  sendRaw(daemon.port, `${line}\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)

describe('the service', () => {
  test('is ready once it reports that it is listening', async () => {
    expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200)
    expect(await (await fetch(`${daemon.url}/health`)).json()).toMatchObject({
      status: 'healthy',
      version: '0.1.0',
      uptime_seconds: expect.any(Number),
    })
    expect(await (await fetch(`${daemon.url}/api/health`)).json()).toEqual({
      status: 'healthy',
      bootstrap_mode: true,
    })
  })

  test('owns its folder and records where it listens', () => {
    expect(folderHolder(folder)).toMatchObject({ pid: process.pid, host: '127.0.0.1', port: daemon.port })
  })

  test('answers with the specified headers and the given request id', async () => {
    const response = await fetch(`${daemon.url}/nowhere`, { headers: { 'x-request-id': 'abc-1' } })

    expect(response.status).toBe(401)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-xss-protection': '1; mode=block',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-request-id': 'abc-1',
    })
  })

  test('HEAD answers like GET without a body', async () => {
    const response = await fetch(`${daemon.url}/health`, { method: 'HEAD' })

    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })

  test('refuses a body that is larger than the limit, with and without a length', async () => {
    const large = `{"text":"${'x'.repeat(2 * 1024 * 1024)}"}`
    const stream = () => new Blob([large]).stream()
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const known = await fetch(`${daemon.url}/api/auth/login`, { ...init, body: large })
    const unknown = await fetch(`${daemon.url}/api/auth/login`, {
      ...init,
      body: stream(),
      duplex: 'half',
    } as RequestInit)

    expect([known.status, unknown.status]).toEqual([413, 413])
  })
})

describe('a malformed request is refused and nothing else suffers', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['an absolute target', 'GET http://example.com/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['an absolute target of ours', 'GET http://127.0.0.1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['two slashes', 'GET //127.0.0.1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['a backslash', 'GET /\\health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['a fragment', 'GET /health#x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['no host', 'GET /health HTTP/1.0\r\n\r\n', 400],
    ['two hosts', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n', 400],
    ['a host with a path', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1/api\r\n\r\n', 400],
    ['a host with a user', 'GET /health HTTP/1.1\r\nHost: a@127.0.0.1\r\n\r\n', 400],
    ['a host with a query', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1?x\r\n\r\n', 400],
    ['a port that is none', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1:99999\r\n\r\n', 400],
    ['a foreign host', 'GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n', 421],
    ['a look-alike host', 'GET /health HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n', 421],
    ['a foreign address', 'GET /health HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n', 421],
    [
      'a path that only looks like a webhook',
      'GET /api/webhooks/in/../../agents HTTP/1.1\r\nHost: hearth.example\r\n\r\n',
      421,
    ],
    [
      'a webhook under the public name, of a channel that is gone',
      'GET /api/channels/whatsapp/webhook/chan_1?hub.mode=subscribe HTTP/1.1\r\nHost: hearth.example\r\n\r\n',
      404,
    ],
    ['a method of nobody', 'TRACE /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 405],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405],
    [
      'an expectation',
      'POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: miracle\r\nContent-Length: 2\r\n\r\n',
      417,
    ],
    [
      'a length and chunks',
      'POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers without end', `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(140_000)}\r\n\r\n`, 431],
  ])('%s', async (_, text, status) => {
    const { status: answered, body } = parseRaw(await sendRaw(daemon.port, text))

    expect(answered).toBe(status)
    expect(body).toMatchObject({ error: expect.any(String), message: expect.any(String), status })
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  })

  test.each(['127.0.0.1', 'localhost', 'LOCALHOST:9', '[::1]:18781', 'hearth.lan', 'hearth.lan:443'])(
    'the host %s is accepted',
    async (host) => {
      expect(await ask('GET /health HTTP/1.1', [`Host: ${host}`])).toMatch(/^HTTP\/1\.1 200/)
    },
  )

  test.each(['/%zz', '/api/agents/%00', '/api/agents/%ff'])(
    'a target with bad escapes, %s, is a client error',
    async (target) => {
      expect(await ask(`GET ${target} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 4\d\d/)
    },
  )

  test('a truncated body does no harm', async () => {
    const socket = await openRaw(daemon.port)
    socket.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user',
    )
    socket.destroy()

    expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  })
})

describe('a start that cannot be', () => {
  test('leaves nothing behind if the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const data_dir = mkdtempSync(join(tmpdir(), 'hearthd-taken-'))
    const start = startDaemon({ environment: environmentFor(data_dir, { SERVICE_PORT: String(port) }), log })

    await expect(start).rejects.toThrow(CannotListen)
    expect(existsSync(join(data_dir, 'hearthd.lock'))).toBe(false)
    expect(existsSync(join(data_dir, 'hearthd.db'))).toBe(false)
    other.close()
    rmSync(data_dir, { recursive: true })
  })
})
