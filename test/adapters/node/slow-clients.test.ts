import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { send } from '../../../adapters/node/http/program.ts'
import { createHttpServer, type Timeouts } from '../../../adapters/node/http/server.ts'
import { eventually } from '../../support/daemon-process.ts'
import { openRaw, parseRaw, readAll } from '../../support/raw.ts'

/** Milliseconds: as in service, divided by some hundreds. */
const patience: Timeouts = {
  headers: 100,
  body: 100,
  upload_silence: 100,
  upload: 10_000,
  silence: 1_000,
  check: 20,
}

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function start(answer: Parameters<typeof createHttpServer>[0]): Promise<number> {
  server = createHttpServer(answer, patience)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const readBody = async (
  request: Parameters<Parameters<typeof createHttpServer>[0]>[0],
  response: { end(text: string): unknown },
) => {
  response.end(String((await buffer(request)).length))
}

test('slowly sent headers are cut off with a 408', async () => {
  const socket = await openRaw(await start(readBody))
  const drip = setInterval(() => socket.write('X: y\r\n'), 10)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  const answer = await readAll(socket)
  clearInterval(drip)

  expect(parseRaw(answer)).toMatchObject({ status: 408, body: { error: 'request_timeout', status: 408 } })
})

test('a body that does not arrive is cut off with a 408', async () => {
  const socket = await openRaw(await start(readBody))
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')

  expect(parseRaw(await readAll(socket))).toMatchObject({ status: 408 })
})

test('an upload may take longer than a body as long as data arrives', async () => {
  const socket = await openRaw(await start(readBody))
  const pieces = 20
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data\r\nContent-Length: ${pieces}\r\n\r\n`,
  )
  let sent = 0
  const drip = setInterval(() => {
    if (sent < pieces) socket.write('x')
    sent += 1
  }, 15)
  const answer = await readAll(socket)
  clearInterval(drip)

  expect(answer).toMatch(/^HTTP\/1\.1 200/)
})

test('an upload that stalls is cut off', async () => {
  const socket = await openRaw(await start(readBody))
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data\r\nContent-Length: 10\r\n\r\nx')

  expect(parseRaw(await readAll(socket))).toMatchObject({ status: 408 })
})

test('a client that never reads is dropped, and its source is stopped', async () => {
  const { promise: stopped, resolve } = Promise.withResolvers<number>()
  let chunks = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      chunks += 1
      controller.enqueue(new Uint8Array(64 * 1024))
    },
    cancel: () => resolve(chunks),
  })
  const port = await start((_, response) => send(new Response(endless), response, 100))
  const socket = await openRaw(port)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')

  expect(await stopped).toBeLessThan(500)
  socket.destroy()
})

test('a failing source closes its own connection only', async () => {
  const port = await start((request, response) => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('begin')),
      pull: (controller) => controller.error(new Error('broken')),
    })
    return request.url === '/broken' ? send(new Response(broken), response) : readBody(request, response)
  })

  await expect(fetch(`http://127.0.0.1:${port}/broken`).then((response) => response.text())).rejects.toThrow()
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
})

test('a client that disconnects ends the source', async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  const quiet = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
    cancel: () => resolve(),
  })
  const port = await start((_, response) => send(new Response(quiet), response))
  const abort = new AbortController()
  await fetch(`http://127.0.0.1:${port}/`, { signal: abort.signal })
  abort.abort()

  await cancelled
})

test.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['nothing at all', ''],
  ['what is not HTTP', 'hello\r\n\r\n'],
])('a client that sends %s and keeps its side open loses the connection', async (_, text) => {
  const port = await start(readBody)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  socket.write(text)
  socket.resume()
  const count = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
    )

  await eventually(async () => (await count()) === 0)
  socket.destroy()
})

test('connections beyond the limit are closed', async () => {
  const port = await start(readBody)
  expect(server.maxConnections).toBe(4_096)
  server.maxConnections = 2
  const sockets = await Promise.all([openRaw(port), openRaw(port)])
  const third = connect(port, '127.0.0.1')
  await once(third, 'close')
  for (const socket of sockets) socket.destroy()
})
