import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { issueAuthority, issueCertificate } from '../../../adapters/node/tls/issue.ts'
import { type TestDaemon, testDaemon } from '../../support/daemon.ts'

let daemon: TestDaemon
let ca: string
let key: string
beforeAll(async () => {
  daemon = await testDaemon({ env: { SERVICE_TLS: 'auto', SERVICE_HOST: '' } })
  ca = readFileSync(join(daemon.data_dir, 'tls', 'authority.crt'), 'utf8')
  const admin = { username: 'ada', password: 'correct horse battery' }
  const made = await ask({ method: 'POST', path: '/api/setup/admin', body: admin, secure: true })
  key = JSON.parse(made.text).api_key.key
})
afterAll(() => daemon.close())

interface Asked extends https.RequestOptions {
  secure?: boolean
  body?: object
  port?: number
}

/** One request from this machine, over HTTPS with the authority of the daemon, or over HTTP. */
async function ask({ secure = false, body, headers, ...options }: Asked) {
  const request = (secure ? https : http).request({
    host: '127.0.0.1',
    port: daemon.port,
    ca,
    agent: false,
    ...options,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
  })
  request.end(body && JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

const bearer = () => ({ authorization: `Bearer ${key}` })

/** An address of this machine in its network. A request from it to loopback comes from "elsewhere". */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

test('the authority is private, made once, and its certificate names this machine', async () => {
  const folder = join(daemon.data_dir, 'tls')
  for (const file of ['authority.key', 'authority.crt', 'server.key', 'server.crt'])
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  const authority = new X509Certificate(ca)
  const server = new X509Certificate(readFileSync(join(folder, 'server.crt')))
  expect([authority.ca, server.ca]).toEqual([true, false])
  expect(server.verify(authority.publicKey)).toBe(true)
  expect(authority.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  expect(server.checkHost('localhost')).toBe('localhost')
  for (const name of ['127.0.0.1', '::1', ...(address ? [address] : [])]) expect(server.checkIP(name)).toBe(name)
  const days = (Date.parse(server.validTo) - Date.parse(server.validFrom)) / 86_400_000
  expect(days).toBeLessThanOrEqual(825)
  expect(daemon.tls).toEqual({ authority: authority.fingerprint256 })
})

test('one port answers HTTPS and, on this machine, HTTP', async () => {
  for (const secure of [true, false]) {
    expect((await ask({ secure, path: '/health/live' })).status).toBe(200)
    expect((await ask({ secure, path: '/api/agents', headers: bearer() })).status).toBe(200)
    expect((await ask({ secure, path: '/api/agents' })).status).toBe(401)
  }
})

test('a foreign Host is a 421 and a foreign Origin is not allowed, over HTTPS too', async () => {
  const foreign = { path: '/health', headers: { host: 'evil.example' }, checkServerIdentity: () => undefined }
  expect((await ask({ secure: true, ...foreign })).status).toBe(421)
  const origin = `https://127.0.0.1:${daemon.port}`
  const from = (from: string) => ask({ secure: true, path: '/api/agents', headers: { ...bearer(), origin: from } })
  expect((await from('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined()
  const opened = (origin: string) => {
    const socket = new WebSocket(`wss://127.0.0.1:${daemon.port}/ws/events?token=${key}`, { ca, origin })
    return Promise.race([once(socket, 'open').then(() => socket.close()), once(socket, 'error')])
  }
  expect(String(await opened('https://evil.example'))).toContain('403')
  // The page of the same address, but read over HTTP, is another origin.
  expect(String(await opened(origin.replace('https', 'http')))).toContain('403')
  expect(await opened(origin)).toBeUndefined()
})

test('a paired device is told the secure address of its socket', async () => {
  const created = await ask({
    ...{ method: 'POST', path: '/api/devices/pairing-codes', body: {}, headers: bearer() },
    secure: true,
  })
  const { code } = JSON.parse(created.text)
  const body = { code, name: 'Phone', platform: 'android', capabilities: ['notify'] }
  const paired = await ask({ secure: true, method: 'POST', path: '/api/auth/device/pair', body })
  expect(JSON.parse(paired.text).ws_url).toMatch(/^wss:\/\/127\.0\.0\.1:\d+\//)
})

test.skipIf(!address)('from the network, pages over HTTP are sent to HTTPS, and the rest is refused', async () => {
  const elsewhere = { localAddress: address as string }
  const page = await ask({ ...elsewhere, path: '/chat?a=1' })
  expect([page.status, page.headers.location]).toEqual([308, `https://127.0.0.1:${daemon.port}/chat?a=1`])
  const login = await ask({ ...elsewhere, method: 'POST', path: '/api/auth/login', body: {} })
  expect([login.status, JSON.parse(login.text).error]).toEqual([403, 'https_required'])
  expect((await ask({ ...elsewhere, path: '/api/agents', headers: bearer() })).status).toBe(308)
  expect((await ask({ ...elsewhere, path: '/api/agents', headers: bearer(), secure: true })).status).toBe(200)
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' }
  expect((await ask({ ...elsewhere, path: '/ws/events', headers: upgrade })).status).toBe(403)
  // A header does not make a connection private.
  const forged = { ...bearer(), 'x-forwarded-proto': 'https', forwarded: 'proto=https' }
  expect((await ask({ ...elsewhere, path: '/api/agents', headers: forged })).status).toBe(308)
  // The authority has to be fetched before anything is trusted.
  expect((await ask({ ...elsewhere, path: '/ca' })).status).toBe(200)
})

test('the page of the authority shows its fingerprint, and its files are what each system installs', async () => {
  const page = await ask({ path: '/ca' })
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.text).toContain(new X509Certificate(ca).fingerprint256)
  for (const file of ['hearthd.crt', 'hearthd.pem', 'hearthd.mobileconfig']) expect(page.text).toContain(file)
  const files = async (name: string) => fetch(`http://127.0.0.1:${daemon.port}/ca/${name}`)
  const der = Buffer.from(await (await files('hearthd.crt')).arrayBuffer())
  expect(new X509Certificate(der).fingerprint256).toBe(new X509Certificate(ca).fingerprint256)
  expect(await (await files('hearthd.pem')).text()).toBe(ca)
  const profile = await files('hearthd.mobileconfig')
  expect(profile.headers.get('content-type')).toBe('application/x-apple-aspen-config')
  expect(await profile.text()).toContain(der.toString('base64'))
  for (const secret of ['/ca/authority.key', '/ca/server.key', '/ca/..%2ftls', '/ca/x'])
    expect((await ask({ path: secret })).text).not.toContain('PRIVATE KEY')
})

test('bytes that are neither TLS nor HTTP, and half a handshake, harm nothing', async () => {
  const { createConnection } = await import('node:net')
  for (const bytes of [Buffer.from([0x16, 3, 1, 0]), Buffer.from([0, 1, 2]), Buffer.alloc(0)]) {
    const socket = createConnection(daemon.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.end(bytes)
    await once(socket.resume(), 'close')
  }
  expect((await ask({ secure: true, path: '/health/live' })).status).toBe(200)
})

const pem = (folder: string) => ({
  SERVICE_TLS_CERT: join(folder, 'own.crt'),
  SERVICE_TLS_KEY: join(folder, 'own.key'),
})

/** A certificate for localhost in a folder, and its authority. */
async function ownPair(folder: string) {
  const authority = await issueAuthority('test', 10)
  const { cert, key } = await issueCertificate(authority, ['localhost', '127.0.0.1'], 5)
  writeFileSync(pem(folder).SERVICE_TLS_CERT, cert)
  writeFileSync(pem(folder).SERVICE_TLS_KEY, key)
  return { authority: authority.cert, fingerprint: new X509Certificate(cert).fingerprint256 }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function fingerprintAt(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

test('a certificate in files is read again when it has changed, and kept if the new one is wrong', async () => {
  const folder = newFolder()
  const first = await ownPair(folder)
  const own = await testDaemon({ env: pem(folder) })
  onTestFinished(() => own.close())
  expect(await fingerprintAt(own.port)).toBe(first.fingerprint)
  expect(own.tls).toEqual({ authority: null })
  expect((await ask({ secure: true, port: own.port, path: '/health/live', ca: first.authority })).status).toBe(200)
  expect((await ask({ port: own.port, path: '/ca/hearthd.pem' })).text).not.toContain('BEGIN CERTIFICATE')
  const second = await ownPair(folder)
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 5_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await fingerprintAt(own.port)).toBe(second.fingerprint)
  writeFileSync(pem(folder).SERVICE_TLS_CERT, 'nonsense')
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000)
  expect(await fingerprintAt(own.port)).toBe(second.fingerprint)
  expect(own.trouble.join()).toContain('the old one is kept')
})

test('a daemon with a missing or foreign key does not start', async () => {
  const folder = newFolder()
  await ownPair(folder)
  const only = { SERVICE_TLS_CERT: pem(folder).SERVICE_TLS_CERT }
  await expect(testDaemon({ env: only })).rejects.toThrow('needed together')
  const other = newFolder()
  await ownPair(other)
  const mixed = { ...only, SERVICE_TLS_KEY: pem(other).SERVICE_TLS_KEY }
  await expect(testDaemon({ env: mixed })).rejects.toThrow('the key does not belong to the certificate')
})

test('the authority outlives a restart; its certificate is renewed before it ends and for a new name', async () => {
  const folder = newFolder()
  const start = async (more: Record<string, string> = {}) => {
    const own = await testDaemon({ env: { SERVICE_TLS: 'auto', SERVICE_DATA_DIR: folder, ...more } })
    const seen = { server: await fingerprintAt(own.port), authority: own.tls?.authority }
    await own.close()
    return seen
  }
  const first = await start()
  expect(await start()).toEqual(first)
  const renamed = await start({ SERVICE_ALLOWED_HOSTS: 'hearth.lan:18781' })
  expect(renamed.authority).toBe(first.authority)
  expect(renamed.server).not.toBe(first.server)
  const later = Date.now() + 370 * 86_400_000
  vi.spyOn(Date, 'now').mockReturnValue(later)
  onTestFinished(() => void vi.restoreAllMocks())
  const renewed = await start({ SERVICE_ALLOWED_HOSTS: 'hearth.lan:18781' })
  expect(renewed.authority).toBe(first.authority)
  expect(renewed.server).not.toBe(renamed.server)
  expect(existsSync(join(folder, 'tls', 'server.crt.new'))).toBe(false)
})
