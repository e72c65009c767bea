import { effectiveAddress, parseAddress, parseRange, type Range, within } from './addresses.ts'

/** A URL that may be requested, judged by its text. */
export interface Target {
  url: URL
  origin: string
  /** Lower case, punycode, without brackets or a trailing dot. */
  host: string
  port: number
  /** True when the host is an address, so no name has to be resolved. */
  literal: boolean
}

export type Parsed = { ok: true; target: Target } | { ok: false; reason: string }

/** https://fetch.spec.whatwg.org/#port-blocking */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * The one place where a URL is parsed. The WHATWG parser turns `127.1`, `0x7f.1`, `2130706433` and full-width
 * digits into plain addresses; what it leaves as a name is a name to all later code.
 */
export function parseTarget(input: string | URL): Parsed {
  const url = URL.parse(String(input))
  if (!url) return refuse('this is not an absolute URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('only http and https are allowed')
  if (url.username || url.password) return refuse('a URL must not contain credentials')
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

/** Why a name is refused before it is resolved; null when its addresses decide. */
export function classifyName(host: string): 'local name' | 'metadata' | null {
  if (metadataNames.some((name) => isOrBelow(host, name))) return 'metadata'
  return localNames.some((name) => isOrBelow(host, name)) ? 'local name' : null
}

const isOrBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`)

/** One entry of an allowlist or blocklist. */
export interface Rule {
  /** Exact host, or with `below` the hosts under it. Empty when `range` decides. */
  host: string
  below: boolean
  range: Range | null
  port: number | null
}

/**
 * `example.com`, `*.example.com`, `10.0.0.5`, `10.0.0.0/8`, `fd00::/8`, each but a CIDR also with `:port`
 * (IPv6 in brackets), or an origin such as `http://10.0.0.5:11434`. Null when the entry is none of these.
 */
export function readRule(entry: string): Rule | null {
  const text = entry.trim().toLowerCase()
  const whole = parseRange(text)
  if (whole) return { host: '', below: false, range: whole, port: null }
  const below = text.startsWith('*.')
  const origin = /^https?:\/\//.test(text)
  const rest = below ? text.slice(2) : text
  if (/[/?#@*\s\\]/.test(rest.replace(/^https?:\/\/([^/]+)\/?$/, '$1')) || rest === '') return null
  const url = URL.parse(origin ? rest : `http://${rest}`)
  if (!url?.hostname) return null
  const { host, range } = hostOf(url)
  return below && range ? null : { host, range, below, port: portOf(url, origin, rest) }
}

function hostOf(url: URL): Pick<Rule, 'host' | 'range'> {
  const range = parseRange(url.hostname)
  return range ? { host: '', range } : { host: url.hostname.replace(/\.$/, ''), range: null }
}

/** The URL parser drops a default port; `host:80` still means only that port. */
function portOf(url: URL, origin: boolean, text: string): number | null {
  if (url.port) return Number(url.port)
  if (origin) return url.protocol === 'https:' ? 443 : 80
  return text.endsWith(':80') ? 80 : null
}

/** A host, `*.example.com`, a host with a port, or an origin; not a network. */
export const isHost = (text: string): boolean => readRule(text) !== null && !/\/\d+$/.test(text)

/** All rules of a list; throws for an entry that is not a rule, and names it. */
export function readRules(entries: readonly string[]): Rule[] {
  return entries.map((entry) => {
    const rule = readRule(entry)
    if (!rule) throw new Error(`"${entry}" is not a host, address, CIDR range or host:port`)
    return rule
  })
}

/** Whether the rule names this host, as a name or as an address. */
export function matchesHost(rule: Rule, host: string, port: number): boolean {
  if (rule.range) return matchesAddress(rule, host, port)
  if (rule.port !== null && rule.port !== port) return false
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host
}

/** Whether the rule contains this address; an IPv4 address mapped to IPv6 counts as the IPv4 one. */
export function matchesAddress(rule: Rule, ip: string, port: number): boolean {
  const address = parseAddress(ip)
  if (!address || !rule.range || (rule.port !== null && rule.port !== port)) return false
  return within(address, rule.range) || within(effectiveAddress(address), rule.range)
}
