import ipaddr from 'ipaddr.js'
import specialRanges from './special-ranges.json' with { type: 'json' }

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Range = [Address, number]

/**
 * What addresses are for, the first match wins; anything but `public` is refused unless a person allowed it. From the IANA
 * special-purpose address registries (RFC 6890), with the addresses where clouds give out credentials: AWS, Azure,
 * Alibaba, Oracle, Google.
 */
const table = specialRanges.map(([range = '', kind = '']) => ({ range: ipaddr.parseCIDR(range), kind }))
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Null for anything but four decimal parts or IPv6: `127.1` and `0x7f.0.0.1` are for a URL parser. */
export function parseAddress(text: string): Address | null {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/s, '')
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  const groups = withoutDots(bare)
  return groups.includes(':') && ipaddr.IPv6.isValid(groups) ? ipaddr.IPv6.parse(groups) : null
}

/** `::1.2.3.4` as `::102:304`: ipaddr.js mistakes the first for a mapped address. */
function withoutDots(text: string): string {
  const [match, front, tail = ''] = /^(.*:)([\d.]+)$/.exec(text) ?? []
  if (match === undefined || !ipaddr.IPv4.isValidFourPartDecimal(tail)) return text
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets
  return `${front}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/**
 * Addresses that contain an IPv4 address are refused whatever it is, because no public name has one. The exception is
 * the well-known prefix of NAT64 (RFC 6052): networks without IPv4 return it for every name, so there the address
 * inside decides.
 */
export function classifyAddress(ip: string): string {
  const address = parseAddress(ip)
  if (!address) return 'malformed'
  const inner = insideNat64(address)
  if (inner) return classifyAddress(inner.toString()) === 'public' ? 'public' : 'NAT64'
  if (isIsatap(address)) return 'ISATAP'
  return table.find(({ range }) => within(address, range))?.kind ?? 'reserved'
}

/** The IPv4 address that a mapped or NAT64 address leads to, else the address itself; for comparing with lists. */
export function effectiveAddress(address: Address): Address {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return address.toIPv4Address()
  return insideNat64(address) ?? address
}

export function within(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits)
}

/** `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export function parseRange(text: string): Range | null {
  const [base = '', bits, ...rest] = text.split('/')
  const address = parseAddress(base)
  if (!address || rest.length > 0) return null
  const widest = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [address, widest]
  return /^\d{1,3}$/.test(bits) && Number(bits) <= widest ? [address, Number(bits)] : null
}

function insideNat64(address: Address): ipaddr.IPv4 | null {
  return within(address, nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : null
}

/** RFC 5214: an interface identifier of `0:5efe` or `200:5efe` and an IPv4 address. */
function isIsatap(address: Address): boolean {
  return address instanceof ipaddr.IPv6 && address.parts[5] === 0x5efe && ((address.parts[4] ?? 0) & ~0x200) === 0
}
