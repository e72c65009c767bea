import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type EgressProxy, startProxy } from '../../../adapters/browser/proxy.ts'
import { OutboundBlocked } from '../../../runtime/ports/outbound.ts'

/** A server that knows its connections, and the proxy in front of it. */
class Way {
  readonly connections = new Set<Socket>()
  readonly methods: string[] = []
  readonly server: Server
  addresses: string[] = ['127.0.0.1']
  /** Ends the connection of the next request before it is answered. */
  cutNext = false
  proxy: EgressProxy | null = null

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      this.methods.push(incoming.method ?? '')
      if (this.cutNext) {
        this.cutNext = false
        return void incoming.socket.destroy()
      }
      outgoing.end('fine')
    })
    this.server.on('connection', (socket) => this.connections.add(socket))
  }

  async open(): Promise<void> {
    this.server.listen(0)
    await once(this.server, 'listening')
    this.proxy = await startProxy(async () => {
      if (this.addresses.length === 0) throw new OutboundBlocked('it is on the blocklist')
      return this.addresses
    })
  }

  /** The status of the answer, or how it failed. */
  async ask(method = 'GET'): Promise<number | string> {
    const { hostname, port } = new URL(this.proxy?.server ?? '')
    const path = `http://shop.example:${(this.server.address() as AddressInfo).port}/`
    const asked = request({ hostname, port, method, path, agent: false })
    asked.end(method === 'POST' ? 'body' : undefined)
    try {
      const [response] = await once(asked, 'response')
      response.resume()
      await once(response, 'end')
      return response.statusCode
    } catch (thrown) {
      return (thrown as { code: string }).code
    }
  }

  async close(): Promise<void> {
    await this.proxy?.close()
    this.server.closeAllConnections()
    this.server.close()
  }
}

let way: Way
const opened = async (): Promise<Way> => {
  way = new Way()
  await way.open()
  return way
}
afterEach(() => way.close())

test('requests to one target share a connection', async () => {
  const { connections } = await opened()
  for (let round = 0; round < 5; round += 1) expect(await way.ask()).toBe(200)
  expect(connections.size).toBe(1)
})

test('every request is checked, even if a connection is already open', async () => {
  await opened()
  expect(await way.ask()).toBe(200)
  way.addresses = []
  expect(await way.ask()).toBe(403)
  expect(way.methods).toEqual(['GET'])
})

test('a name that resolves to another address gets a new connection', async () => {
  await opened()
  expect(await way.ask()).toBe(200)
  way.addresses = ['127.0.0.2']
  expect(await way.ask()).toBe(200)
  expect([...way.connections].map(({ localAddress }) => localAddress?.replace('::ffff:', ''))).toEqual([
    '127.0.0.1',
    '127.0.0.2',
  ])
})

test('a connection that the server closes in the meantime loses no request', async () => {
  await opened()
  expect(await way.ask()).toBe(200)
  way.cutNext = true
  expect(await way.ask()).toBe(200)
  expect(way.methods).toEqual(['GET', 'GET', 'GET'])
})

test('a request that is unsafe to repeat is sent once', async () => {
  await opened()
  expect(await way.ask()).toBe(200)
  way.cutNext = true
  expect(await way.ask('POST')).toBe('ECONNRESET')
  expect(way.methods).toEqual(['GET', 'POST'])
})

test('idle connections are closed with the others', async () => {
  await opened()
  expect(await way.ask()).toBe(200)
  const [connection] = way.connections
  const closed = once(connection as Socket, 'close')
  way.proxy?.drop()
  await closed
  expect(await way.ask()).toBe(200)
})
