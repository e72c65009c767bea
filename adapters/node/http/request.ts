import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { Fault } from '../../../runtime/fault.ts'
import type { Peer } from '../../../runtime/http/serve.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const hostShape = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,252}))(?::(\d{1,5}))?$/i
/** Printable ASCII without the characters that URL parsers interpret. */
const targetShape = /^\/(?!\/)[\x21\x24-\x5b\x5d\x5f\x61-\x7a\x7e"|{}`^]*$/

/**
 * Addresses that other systems call. Each request proves itself with a signature or the token in its path, so it does
 * not matter which name it came by, and the public name works without further configuration.
 */
const webhookShape = /^\/api\/(?:channels\/[a-z_]{1,20}\/webhook|webhooks\/in|workflows\/hooks)\/[\w-]{1,200}(?:\?|$)/

export interface HostPolicy {
  /** Lower case, with or without a port. */
  allowed: readonly string[]
}

/**
 * Checks the raw request line and `Host` before anything parses them: with a crafted host, the URL of a
 * request can have another path. Throws a 400, 405 or 421.
 */
export function checkTarget(request: IncomingMessage, policy: HostPolicy): void {
  const { method = '', url = '' } = request
  if (!methods.has(method)) throw unknownMethod(method)
  if (!targetShape.test(url)) throw malformed('The request target must be a path')
  const hosts = request.rawHeaders.filter((_, index, all) => index % 2 === 0 && all[index]?.toLowerCase() === 'host')
  if (hosts.length !== 1) throw malformed('Exactly one Host header is required')
  const host = request.headers.host?.toLowerCase() ?? ''
  const [, name, port] = hostShape.exec(host) ?? []
  if (!name || Number(port ?? 0) > 65_535 || !URL.canParse(`http://${host}`))
    throw malformed('The Host header is not a host name')
  if (!webhookShape.test(url) && !isOurs(host, name, policy, request)) {
    throw new Fault(
      421,
      'misdirected_request',
      'This host name is not allowed; add it to SERVICE_ALLOWED_HOSTS to allow it',
    )
  }
}

const malformed = (message: string) => new Fault(400, 'bad_request', message)

function unknownMethod(method: string): Fault {
  const headers = { allow: [...methods].join(', ') }
  return new Fault(405, 'method_not_allowed', `${method.slice(0, 20)} is not a method of this service`, { headers })
}

/**
 * Loopback names and the local address of the connection are ours with any port, because ports get forwarded.
 * Other names must be configured: a foreign page can point a name of its own at us (DNS rebinding).
 */
function isOurs(host: string, name: string, { allowed }: HostPolicy, request: IncomingMessage): boolean {
  if (/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)) return true
  if (allowed.includes(host) || allowed.includes(name)) return true
  return bare(name) === bare(request.socket.localAddress ?? '')
}

/** An address without brackets, zone and the IPv6 prefix of a mapped IPv4 address. */
const bare = (address: string) =>
  address
    .replace(/^\[|\]$/g, '')
    .replace(/%[^%]*/g, '')
    .replace(/^::ffff:(?=\d+\.)/, '')

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto']

export interface ProxyPolicy {
  /** The client: the peer of the socket, or the one that a trusted proxy names. */
  peerOf(request: IncomingMessage): Peer
  /** `https` if the connection is, or if a trusted proxy says so. */
  protocolOf(request: IncomingMessage): 'http' | 'https'
  /** Whether nobody on the network reads along: TLS, this machine, or a trusted proxy, which answers for its own clients. */
  isPrivate(request: IncomingMessage): boolean
}

/**
 * Forwarding headers are trusted only if the peer of the socket is a configured proxy. From anyone else the
 * address of the socket counts, but the request is not local: it was made on behalf of someone else.
 */
export function proxyPolicy(trusted: readonly string[]): ProxyPolicy {
  const ranges = trusted.map(readRange)
  const isProxy = (address: string) => ranges.some((range) => within(address, range))
  return {
    peerOf(request) {
      const address = request.socket.remoteAddress ?? ''
      const forwarded = forwardingHeaders.some((name) => request.headers[name] !== undefined)
      if (!forwarded) return { address, local: isLoopback(address) }
      return { address: isProxy(address) ? clientOf(request, address, isProxy) : address, local: false }
    },
    isPrivate({ socket }) {
      const { remoteAddress = '', localAddress } = socket
      const isHere = isLoopback(remoteAddress) || remoteAddress === localAddress
      return isEncrypted(socket) || isHere || isProxy(remoteAddress)
    },
    protocolOf(request) {
      if (isEncrypted(request.socket)) return 'https'
      const said = String(request.headers['x-forwarded-proto'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
      return said === 'https' && isProxy(request.socket.remoteAddress ?? '') ? 'https' : 'http'
    },
  }
}

const isEncrypted = (socket: object): boolean => 'encrypted' in socket && socket.encrypted === true

/** The last address of the chain that is not one of our proxies: everything before it can be forged. */
function clientOf(request: IncomingMessage, peer: string, isProxy: (address: string) => boolean): string {
  const chain = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((item) => item.trim())
  for (const address of chain.reverse()) {
    if (!ipaddr.isValid(address)) return peer
    if (!isProxy(address)) return address
  }
  return peer
}

const readRange = (text: string): Range => (text.includes('/') ? ipaddr.parseCIDR(text) : single(ipaddr.parse(text)))

const single = (address: ipaddr.IPv4 | ipaddr.IPv6): Range => [address, address.kind() === 'ipv4' ? 32 : 128]

function within(address: string, [network, bits]: Range): boolean {
  if (!ipaddr.isValid(address)) return false
  const one = ipaddr.process(address)
  return one.kind() === network.kind() && one.match(network as never, bits)
}

/** Of an address of a socket, which has one form. */
const isLoopback = (address: string) => /^(?:(?:::ffff:)?127\.|::1$)/.test(address)
