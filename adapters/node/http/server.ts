import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../../../runtime/fault.ts'
import { faultResponse } from '../../../runtime/http/errors.ts'
import { securityHeaders } from '../../../runtime/http/headers.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const second = 1000
/** Bytes. The URL of a search for 10,000 characters of any script fits. */
const maxHeadBytes = 128 * 1024
const maxHeaders = 200
/** Streams and sockets of a household and its devices, several times over; beyond it connections are closed at once. */
const maxConnections = 4_096
/** Milliseconds that a refused client has to read why. */
const farewell = 1_000

/** Milliseconds. */
export interface Timeouts {
  headers: number
  /** For a complete body that is not an upload. */
  body: number
  /** Without any data of an upload. */
  upload_silence: number
  /** For a complete upload. */
  upload: number
  /** Of a connection without traffic in either direction. */
  silence: number
  /** Between two checks for late clients. */
  check: number
}

const defaults: Timeouts = {
  headers: 10 * second,
  body: 30 * second,
  upload_silence: 60 * second,
  upload: 30 * 60 * second,
  silence: 120 * second,
  check: 2 * second,
}

/** A server that slow, silent or malformed clients cannot block. `answer` handles its own errors. */
export function createHttpServer(answer: Answer, timeouts: Timeouts = defaults): Server {
  const { headers, upload, check } = timeouts
  const options = { headersTimeout: headers, requestTimeout: upload, connectionsCheckingInterval: check }
  const server = createServer({ ...options, maxHeaderSize: maxHeadBytes, insecureHTTPParser: false })
  server.maxHeadersCount = maxHeaders
  server.maxConnections = maxConnections
  server.setTimeout(timeouts.silence)
  server.on('request', (request, response) => {
    response.on('error', () => response.destroy())
    limitBody(request, response, timeouts)
    answer(request, response).catch(() => response.destroy())
  })
  server.on(
    'checkExpectation',
    (_, response) =>
      void refuse(response, new Fault(417, 'expectation_failed', 'Only Expect: 100-continue is supported')),
  )
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket) => void refuseSocket(socket, faultOf(error)).catch(() => socket.destroy()),
  )
  server.on(
    'connect',
    (_, socket) => void refuseSocket(socket, new Fault(405, 'method_not_allowed', 'This is not a proxy')),
  )
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  return server
}

/** A body must be complete in time; an upload must only make progress. */
function limitBody(request: IncomingMessage, response: ServerResponse, timeouts: Timeouts): void {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
  const upload = /^(multipart\/|application\/octet-stream)/i.test(request.headers['content-type'] ?? '')
  // Counted at the socket: a `data` listener would take the data away from the reader of the body.
  let received = request.socket.bytesRead
  const check = () => {
    if (!upload || request.socket.bytesRead === received) return void refuse(response, tooSlow())
    received = request.socket.bytesRead
    timer.refresh()
  }
  const timer = setTimeout(check, upload ? timeouts.upload_silence : timeouts.body)
  const stop = () => clearTimeout(timer)
  request.once('end', stop)
  request.once('close', stop)
}

const tooSlow = () => new Fault(408, 'request_timeout', 'The request took too long to arrive')

function faultOf(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Fault(431, 'headers_too_large', `Headers are limited to ${maxHeadBytes} bytes`)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  return new Fault(400, 'bad_request', 'This is not an HTTP/1.1 request')
}

/**
 * A request that is refused before it reaches the program gets the same error shape and headers as any other.
 */
const headersOf = (fault: Fault, length: number): Record<string, string> => ({
  ...securityHeaders,
  'content-type': 'application/json',
  'content-length': String(length),
  'cache-control': 'no-store',
  'x-request-id': crypto.randomUUID(),
  connection: 'close',
  ...fault.headers,
})

/** Answers and closes the connection without reading the rest of the request. */
export async function refuse(response: ServerResponse, fault: Fault): Promise<void> {
  const body = Buffer.from(await faultResponse(fault).arrayBuffer())
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(fault.status, headersOf(fault, body.length))
  response.end(response.req.method === 'HEAD' ? undefined : body)
  destroyLater(response.req.socket)
}

/** A client that keeps its side open, or keeps sending, does not keep the connection. */
function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), farewell).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** The same for a socket that the HTTP parser does not own. */
export async function refuseSocket(socket: Duplex, fault: Fault): Promise<void> {
  const body = Buffer.from(await faultResponse(fault).arrayBuffer())
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries(headersOf(fault, body.length)).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  destroyLater(socket)
}
