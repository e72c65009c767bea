import { effectiveAddress, parseAddress, parseRange, type Range, within } from './addresses.ts'

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

/** The URL parser drops a default port; `host:80` still means that port alone. */
function portOf(url: URL, origin: boolean, text: string): number | null {
  if (url.port) return Number(url.port)
  if (origin) return url.protocol === 'https:' ? 443 : 80
  return text.endsWith(':80') ? 80 : null
}

/** All rules of a list; throws naming the entry that is none. */
export function readRules(entries: readonly string[]): Rule[] {
  return entries.map((entry) => {
    const rule = readRule(entry)
    if (!rule) throw new Error(`"${entry}" is no host, address, CIDR range or host:port`)
    return rule
  })
}

/** True when the rule names this host, be it a name or an address. */
export function matchesHost(rule: Rule, host: string, port: number): boolean {
  if (rule.range) return matchesAddress(rule, host, port)
  if (rule.port !== null && rule.port !== port) return false
  return rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host
}

/** True when the rule holds this address; an address in IPv6 clothing counts as the IPv4 one. */
export function matchesAddress(rule: Rule, ip: string, port: number): boolean {
  const address = parseAddress(ip)
  if (!address || !rule.range || (rule.port !== null && rule.port !== port)) return false
  return within(address, rule.range) || within(effectiveAddress(address), rule.range)
}
