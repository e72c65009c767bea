import type { IncomingMessage } from 'node:http'
import { Fault } from '../../../runtime/fault.ts'
import { malformed, misdirected } from './refusal.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const hostShape = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,252}))(?::(\d{1,5}))?$/i
/** Printable ASCII without what URL parsers read as something else. */
const targetShape = /^\/(?!\/)[\x21\x24-\x5b\x5d\x5f\x61-\x7a\x7e"|{}`^]*$/

export interface HostPolicy {
  /** Lower case, with or without a port. */
  allowed: readonly string[]
}

/**
 * Looks at the raw request line and `Host` before anything parses them: a URL made of a strange host can move a
 * request to another path. Throws a 400, 405 or 421.
 */
export function checkTarget(request: IncomingMessage, policy: HostPolicy): void {
  const { method = '', url = '' } = request
  if (!methods.has(method)) throw unknownMethod(method)
  if (!targetShape.test(url)) throw malformed('The request target must be a path')
  const hosts = request.rawHeaders.filter(
    (_, index, all) => index % 2 === 0 && all[index]?.toLowerCase() === 'host',
  )
  if (hosts.length !== 1) throw malformed('Exactly one Host header is needed')
  const host = request.headers.host?.toLowerCase() ?? ''
  const [, name, port] = hostShape.exec(host) ?? []
  if (!name || Number(port ?? 0) > 65_535 || !URL.canParse(`http://${host}`))
    throw malformed('The Host header is not a host name')
  if (!isOurs(host, name, policy, request)) throw misdirected()
}

function unknownMethod(method: string): Fault {
  const headers = { allow: [...methods].join(', ') }
  return new Fault(405, 'method_not_allowed', `${method.slice(0, 20)} is not a method of this service`, {
    headers,
  })
}

/**
 * Loopback names and the address that the connection came to are ours, under any port, because a port may be
 * forwarded. Names are what a foreign page can bend (DNS rebinding), so every other name must be configured.
 */
function isOurs(host: string, name: string, { allowed }: HostPolicy, request: IncomingMessage): boolean {
  if (/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)) return true
  if (allowed.includes(host) || allowed.includes(name)) return true
  return bare(name) === bare(request.socket.localAddress ?? '')
}

/** An address without brackets, zone and the clothing of an IPv4 address in IPv6. */
const bare = (address: string) =>
  address
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
