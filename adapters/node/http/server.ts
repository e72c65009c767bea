import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '../../../runtime/fault.ts'
import { malformed, refuse, refuseSocket } from './refusal.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const second = 1000
/** A search for 10,000 characters of any script fits into its address. */
const largestHead = 128 * 1024
const mostHeaders = 200

/** Milliseconds. */
export interface Patience {
  headers: number
  /** For an ordinary body to be complete. */
  body: number
  /** Between two pieces of an upload. */
  upload_silence: number
  /** For a whole upload. */
  upload: number
  /** Of a connection on which nothing moves either way. */
  silence: number
  /** Between two looks at who is late. */
  check: number
}

const usual: Patience = {
  headers: 10 * second,
  body: 30 * second,
  upload_silence: 60 * second,
  upload: 30 * 60 * second,
  silence: 120 * second,
  check: 2 * second,
}

/** A server that a slow, silent or malformed client cannot hold up. What `answer` throws is its own business. */
export function createHttpServer(answer: Answer, patience: Patience = usual): Server {
  const { headers, upload, check } = patience
  const options = { headersTimeout: headers, requestTimeout: upload, connectionsCheckingInterval: check }
  const server = createServer({ ...options, maxHeaderSize: largestHead, insecureHTTPParser: false })
  server.maxHeadersCount = mostHeaders
  server.setTimeout(patience.silence)
  server.on('request', (request, response) => {
    response.on('error', () => response.destroy())
    boundBody(request, response, patience)
    answer(request, response).catch(() => response.destroy())
  })
  server.on(
    'checkExpectation',
    (_, response) =>
      void refuse(response, new Fault(417, 'expectation_failed', 'Only Expect: 100-continue is known')),
  )
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket) =>
      void refuseSocket(socket, faultOf(error)).catch(() => socket.destroy()),
  )
  server.on(
    'connect',
    (_, socket) => void refuseSocket(socket, new Fault(405, 'method_not_allowed', 'This is not a proxy')),
  )
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  return server
}

/** Ordinary bodies must be here soon; an upload must only keep coming. */
function boundBody(request: IncomingMessage, response: ServerResponse, patience: Patience): void {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    return
  const upload = /^(multipart\/|application\/octet-stream)/i.test(request.headers['content-type'] ?? '')
  // Counted at the socket: a listener for the data would take it away from who reads the body.
  let received = request.socket.bytesRead
  const check = () => {
    if (!upload || request.socket.bytesRead === received) return void refuse(response, tooSlow())
    received = request.socket.bytesRead
    timer.refresh()
  }
  const timer = setTimeout(check, upload ? patience.upload_silence : patience.body)
  const stop = () => clearTimeout(timer)
  request.once('end', stop)
  request.once('close', stop)
}

const tooSlow = () => new Fault(408, 'request_timeout', 'The request took too long to arrive')

function faultOf(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Fault(431, 'headers_too_large', `Headers may take ${largestHead} bytes`)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  return malformed('This is not a request of HTTP/1.1')
}
