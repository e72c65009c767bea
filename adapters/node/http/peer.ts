import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Peer } from '../../../runtime/http/serve.ts'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

const speaksForOthers = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto']

export interface ProxyPolicy {
  /** Who is at the other end: the socket's peer, or whom a trusted proxy names. */
  peerOf(request: IncomingMessage): Peer
  /** `https` when a trusted proxy says so. */
  protocolOf(request: IncomingMessage): 'http' | 'https'
}

/**
 * A header says who is there only when the socket's own peer is a configured proxy. A request that carries such a
 * header from anyone else keeps the socket's address, but is not local: somebody spoke for somebody.
 */
export function proxyPolicy(trusted: readonly string[]): ProxyPolicy {
  const ranges = trusted.map(readRange)
  const isProxy = (address: string) => ranges.some((range) => within(address, range))
  return {
    peerOf(request) {
      const address = request.socket.remoteAddress ?? ''
      const forwarded = speaksForOthers.some((name) => request.headers[name] !== undefined)
      if (!forwarded) return { address, local: isLoopback(address) }
      return { address: isProxy(address) ? clientOf(request, address, isProxy) : address, local: false }
    },
    protocolOf(request) {
      const said = String(request.headers['x-forwarded-proto'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
      return said === 'https' && isProxy(request.socket.remoteAddress ?? '') ? 'https' : 'http'
    },
  }
}

/** The last address of the chain that is not itself a proxy of ours: everything before it could be invented. */
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

const readRange = (text: string): Range =>
  text.includes('/') ? ipaddr.parseCIDR(text) : whole(ipaddr.parse(text))

const whole = (address: ipaddr.IPv4 | ipaddr.IPv6): Range => [address, address.kind() === 'ipv4' ? 32 : 128]

function within(address: string, [network, bits]: Range): boolean {
  if (!ipaddr.isValid(address)) return false
  const one = ipaddr.process(address)
  return one.kind() === network.kind() && one.match(network as never, bits)
}

const isLoopback = (address: string) =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
