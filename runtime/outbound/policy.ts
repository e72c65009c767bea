import { classifyAddress, effectiveAddress, parseAddress } from './addresses.ts'
import { classifyName, matchesAddress, matchesHost, type Rule, readRules, type Target } from './targets.ts'

export interface Policy {
  allow: readonly Rule[]
  block: readonly Rule[]
}

/** Where the daemon itself listens. */
export interface Own {
  ports: readonly number[]
  /** Addresses of this machine other than loopback; called only for one of the ports. */
  addresses(): readonly string[]
}

export interface Question {
  target: Target
  policy: Policy
  own: Own
  /** An administrator configured this very origin, so it may be private. */
  trusted: boolean
}

/** Null when allowed, else the rule that forbids it. It contains no address, because anyone may see it. */
export type Refusal = string | null

export function readPolicy(allowlist: readonly string[] = [], blocklist: readonly string[] = []): Policy {
  return { allow: readRules(allowlist), block: readRules(blocklist) }
}

/** The verdict before a name is resolved. */
export function judgeTarget(question: Question): Refusal {
  const { target, policy, trusted } = question
  if (policy.block.some((rule) => matchesHost(rule, target.host, target.port))) return 'the host is on the blocklist'
  if (target.literal) return judgeAddress(question, target.host)
  const kind = classifyName(target.host)
  if (!kind || hostIsAllowed(question) || (trusted && kind !== 'metadata')) return null
  return describe(kind)
}

/**
 * The verdict on one address of the host. An exception for a name never reaches the metadata services: the owner of
 * the name could point it there. Only an entry of the allowlist for the address itself does. What administrators
 * configured, such as the base URL of a provider, may be private, but neither metadata nor the daemon's own port.
 */
export function judgeAddress(question: Question, ip: string): Refusal {
  const { target, policy, trusted, own } = question
  const kind = classifyAddress(ip)
  if (kind === 'malformed') return describe(kind)
  if (policy.block.some((rule) => matchesAddress(rule, ip, target.port))) return 'the address is on the blocklist'
  if (isOwn(own, ip, target.port) && !portIsAllowed(question, ip)) return 'this is the port of the service itself'
  if (kind === 'public' || addressIsAllowed(question, ip)) return null
  const excepted = hostIsAllowed(question) ? target.literal || !leadsToMetadata(ip) : trusted && !leadsToMetadata(ip)
  return excepted ? null : describe(kind)
}

const describe = (kind: string): string =>
  kind === 'local name' ? 'local names are not allowed' : `${kind} addresses are not allowed`

function hostIsAllowed({ policy, target }: Question): boolean {
  return policy.allow.some((rule) => matchesHost(rule, target.host, target.port))
}

function addressIsAllowed({ policy, target }: Question, ip: string): boolean {
  return policy.allow.some((rule) => matchesAddress(rule, ip, target.port))
}

/** The daemon's own port is open to an entry that names the port, not to one that names a host or a network. */
function portIsAllowed({ policy, target }: Question, ip: string): boolean {
  const named = policy.allow.filter((rule) => rule.port === target.port)
  return named.some((rule) => matchesHost(rule, target.host, target.port) || matchesAddress(rule, ip, target.port))
}

function isOwn(own: Own, ip: string, port: number): boolean {
  if (!own.ports.includes(port)) return false
  const kind = classifyAddress(plain(ip))
  return (
    kind === 'loopback' || kind === 'unspecified' || own.addresses().some((address) => plain(address) === plain(ip))
  )
}

const leadsToMetadata = (ip: string): boolean => classifyAddress(plain(ip)) === 'metadata'

/** One spelling for each address, so that two can be compared. */
function plain(ip: string): string {
  const address = parseAddress(ip)
  return address ? effectiveAddress(address).toString() : ip
}
