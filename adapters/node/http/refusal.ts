import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Fault } from '../../../runtime/fault.ts'
import { Fault as FaultClass } from '../../../runtime/fault.ts'
import { faultResponse } from '../../../runtime/http/errors.ts'
import { securityHeaders } from '../../../runtime/http/headers.ts'

/** What is refused before the program sees it has the same shapes and headers as everything else. */
export const misdirected = () =>
  new FaultClass(
    421,
    'misdirected_request',
    'This host name is not ours; add it to SERVICE_ALLOWED_HOSTS if it should be',
  )

export const malformed = (message: string) => new FaultClass(400, 'bad_request', message)

const headersOf = (fault: Fault, length: number): Record<string, string> => ({
  ...securityHeaders,
  'content-type': 'application/json',
  'content-length': String(length),
  'cache-control': 'no-store',
  'x-request-id': crypto.randomUUID(),
  connection: 'close',
  ...fault.headers,
})

/** Answers and closes the connection, whatever was still to come on it. */
export async function refuse(response: ServerResponse, fault: Fault): Promise<void> {
  const body = Buffer.from(await faultResponse(fault).arrayBuffer())
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(fault.status, headersOf(fault, body.length))
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

/** The same on a socket that is not (or no longer) in the hands of the HTTP parser. */
export async function refuseSocket(socket: Duplex, fault: Fault): Promise<void> {
  const body = Buffer.from(await faultResponse(fault).arrayBuffer())
  if (!socket.writable) return void socket.destroy()
  const lines = Object.entries(headersOf(fault, body.length)).map(([name, value]) => `${name}: ${value}`)
  socket.end(
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  )
}
