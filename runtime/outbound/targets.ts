import { parseAddress } from './addresses.ts'

/** A URL that may be asked for, as far as its text tells. */
export interface Target {
  url: URL
  origin: string
  /** Lower case, punycode, without brackets and without the dot at the end. */
  host: string
  port: number
  /** True when the host is an address, so no name has to be resolved. */
  literal: boolean
}

export type Parsed = { ok: true; target: Target } | { ok: false; reason: string }

/** https://fetch.spec.whatwg.org/#port-blocking */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * The one place where a URL is parsed. The WHATWG parser turns `127.1`, `0x7f.1`, `2130706433` and full-width
 * digits into plain addresses; what it leaves as a name is a name to everybody who comes after.
 */
export function parseTarget(input: string | URL): Parsed {
  const url = URL.parse(String(input))
  if (!url) return refuse('this is not an absolute URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('only http and https are allowed')
  if (url.username || url.password) return refuse('a URL must not hold credentials')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (badPorts.has(port)) return refuse(`port ${port} belongs to another protocol`)
  const host = bareHost(url.hostname)
  if (!host) return refuse('the URL names no host')
  return { ok: true, target: { url, origin: url.origin, host, port, literal: parseAddress(host) !== null } }
}

const refuse = (reason: string): Parsed => ({ ok: false, reason })

function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, the hosts files of distributions, container networks. */
const localNames = [
  'localhost',
  'localdomain',
  'localhost6',
  'localdomain6',
  'localhost4',
  'localdomain4',
  'ip6-localhost',
  'ip6-loopback',
  'local',
  'internal',
  'intranet',
  'home.arpa',
  'svc',
  'cluster.local',
]

const metadataNames = ['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']

/** Why a name is refused before anybody resolves it; null when its addresses have to tell. */
export function classifyName(host: string): 'local name' | 'metadata' | null {
  if (metadataNames.some((name) => isOrBelow(host, name))) return 'metadata'
  return localNames.some((name) => isOrBelow(host, name)) ? 'local name' : null
}

export const isOrBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`)
