import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createOutbound, type NodeOutbound } from '../../../adapters/outbound/outbound.ts'
import { type LocalServer, startServer } from './servers.ts'

let server: LocalServer
let guard: NodeOutbound
beforeEach(async () => {
  server = await startServer()
  guard = createOutbound({ resolve: async () => ['127.0.0.1'] })
})
afterEach(async () => {
  await guard.close()
  await server.close()
})

test.each(['127.0.0.1', 'model.test'])(
  'a connection kept for a trusted request to %s serves no other',
  async (host) => {
    const origin = `http://${host}:${server.port}`
    const trusted = { trusted_origins: [origin] }
    for (let round = 0; round < 5; round += 1) {
      expect(await (await guard.fetch(origin, {}, trusted)).text()).toBe('canary')
      await expect(guard.fetch(origin)).rejects.toThrow('loopback')
    }

    expect(server.connections()).toBeLessThan(5)
    expect(server.requests).toHaveLength(5)
  },
)

test('connections are kept and reused', async () => {
  const allowed = createOutbound({ allowlist: ['127.0.0.1'] })
  for (let round = 0; round < 5; round += 1) await (await allowed.fetch(server.origin)).text()
  await allowed.close()

  expect(server.connections()).toBeLessThan(5)
})

test('the own port is blocked for all rules but those that name it', async () => {
  const own_ports = () => [server.port]
  const resolve = async () => ['127.0.0.1']
  const network = createOutbound({ allowlist: ['127.0.0.0/8', 'me.test'], own_ports, resolve })
  const named = createOutbound({ allowlist: [`me.test:${server.port}`], own_ports, resolve })
  const url = `http://me.test:${server.port}/`

  await expect(network.fetch(server.origin)).rejects.toThrow('port of the service itself')
  await expect(network.fetch(url)).rejects.toThrow('port of the service itself')
  expect(server.connections()).toBe(0)
  expect((await named.fetch(url)).status).toBe(200)
  const trusted = network.fetch(server.origin, {}, { trusted_origins: [server.origin] })
  await expect(trusted).rejects.toThrow('port of the service itself')
  await Promise.all([network.close(), named.close()])
})

test('locate returns the checked addresses, or refuses', async () => {
  const allowed = createOutbound({ allowlist: ['api.test'], resolve: async () => ['127.0.0.1', '::1'] })

  expect(await allowed.locate('https://api.test/path')).toEqual(['127.0.0.1', '::1'])
  await expect(allowed.locate('https://other.test/')).rejects.toThrow('loopback')
  expect(await allowed.locate('http://10.0.0.1/', { trusted_origins: ['http://10.0.0.1'] })).toEqual(['10.0.0.1'])
  await expect(allowed.locate('file:///etc/passwd')).rejects.toThrow('only http and https')
})

test('TLS verifies the name, although the connection goes to the address', async () => {
  const hello = Promise.withResolvers<string>()
  const listener = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      hello.resolve(bytes.toString('latin1'))
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const origin = `https://model.test:${port}`

  await expect(guard.fetch(origin, {}, { trusted_origins: [origin] })).rejects.toThrow('fetch failed')
  expect(await hello.promise).toContain('model.test')
  await new Promise((resolve) => listener.close(resolve))
})

test('a network error is passed on unchanged', async () => {
  const gone = await startServer()
  await gone.close()
  const failure = await guard.fetch(gone.origin, {}, { trusted_origins: [gone.origin] }).catch((error) => error)

  expect(failure).toBeInstanceOf(TypeError)
  expect(failure.cause.code).toBe('ECONNREFUSED')
})

test('proxy variables are not followed', async () => {
  const proxy = await startServer()
  const script = `
    import { createOutbound } from '${import.meta.dirname}/../../../adapters/outbound/outbound.ts'
    const guard = createOutbound({ allowlist: ['api.test'], resolve: async () => ['127.0.0.1'] })
    console.log(await (await guard.fetch('http://api.test:${server.port}/')).text())
    await guard.close()
  `
  const variables = {
    HTTP_PROXY: proxy.origin,
    HTTPS_PROXY: proxy.origin,
    ALL_PROXY: proxy.origin,
    http_proxy: proxy.origin,
  }
  const env = { ...process.env, ...variables, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
  })
  const connections = proxy.connections()
  await proxy.close()

  expect(stdout.trim()).toBe('canary')
  expect(connections).toBe(0)
})

test('a socket whose other side has gone without notice is ended', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const outbound = createOutbound({ allowlist: ['127.0.0.1'] })
  const { closed } = await outbound.openSocket(`ws://127.0.0.1:${port}/`, {
    ...{ signal: new AbortController().signal, max_message_bytes: 1_000, ping_seconds: 0.01 },
  })
  expect(await closed).toMatchObject({ code: 1006 })
  server.close()
  await outbound.close()
})
