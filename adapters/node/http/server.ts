import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '../../../runtime/fault.ts'
import { malformed, refuse, refuseSocket } from './refusal.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const second = 1000
const headersWithin = 10 * second
/** An upload may take long, but a minute of silence ends any request. */
const uploadWithin = 30 * 60 * second
const bodyWithin = 30 * second
const silence = 60 * second
const largestHead = 16 * 1024
const mostHeaders = 200

/** A server that a slow, silent or malformed client cannot hold up. What `answer` throws is its own business. */
export function createHttpServer(answer: Answer): Server {
  const options = { headersTimeout: headersWithin, requestTimeout: uploadWithin, connectionsCheckingInterval: 2 * second }
  const server = createServer({ ...options, maxHeaderSize: largestHead, insecureHTTPParser: false })
  server.maxHeadersCount = mostHeaders
  server.setTimeout(2 * silence)
  server.on('request', (request, response) => {
    response.on('error', () => response.destroy())
    boundBody(request, response)
    answer(request, response).catch(() => response.destroy())
  })
  server.on('checkExpectation', (_, response) => void refuse(response, new Fault(417, 'expectation_failed', 'Only Expect: 100-continue is known')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => void refuseSocket(socket, faultOf(error)).catch(() => socket.destroy()))
  server.on('connect', (_, socket) => void refuseSocket(socket, new Fault(405, 'method_not_allowed', 'This is not a proxy')))
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  return server
}

/** Ordinary bodies must be here soon; an upload must only keep coming. */
function boundBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
  const upload = /^(multipart\/|application\/octet-stream)/i.test(request.headers['content-type'] ?? '')
  // Counted at the socket: a listener for the data would take it away from who reads the body.
  let received = request.socket.bytesRead
  const check = () => {
    if (!upload || request.socket.bytesRead === received) return void refuse(response, tooSlow())
    received = request.socket.bytesRead
    timer.refresh()
  }
  const timer = setTimeout(check, upload ? silence : bodyWithin)
  const stop = () => clearTimeout(timer)
  request.once('end', stop)
  request.once('close', stop)
}

const tooSlow = () => new Fault(408, 'request_timeout', 'The request took too long to arrive')

function faultOf(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'HPE_HEADER_OVERFLOW') return new Fault(431, 'headers_too_large', `Headers may take ${largestHead} bytes`)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  return malformed('This is not a request of HTTP/1.1')
}
