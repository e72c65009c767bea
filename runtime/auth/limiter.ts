import { processState } from '../process-state.ts'
import { minute, second } from '../time.ts'

interface Record {
  failures: number[]
  /** Checks in progress. */
  pending: number
  blocked_until: number
}

const window = 60 * second
const maxFailures = 10
const block = 5 * minute
const maxRecords = 10_000

/**
 * Counts failed authentications by address: 10 within 60 s block the address for 5 minutes.
 * Login, validation, pairing, sockets and all protected endpoints share one limiter.
 */
export class Limiter {
  readonly #records = new Map<string, Record>()

  /** Seconds until the address may try again; 0 if it may now. */
  waitSeconds(address: string, now: number): number {
    const record = this.#records.get(bucket(address))
    if (!record) return 0
    if (record.blocked_until > now) return (record.blocked_until - now) / second
    return record.pending + recent(record, now).length >= maxFailures ? 1 : 0
  }

  /** Starts a slow check, which counts against the address until `end`. */
  begin(address: string): void {
    this.#record(address).pending += 1
  }

  end(address: string): void {
    const record = this.#records.get(bucket(address))
    if (record) record.pending = Math.max(0, record.pending - 1)
  }

  fail(address: string, now: number): void {
    const record = this.#record(address)
    record.failures = [...recent(record, now), now]
    if (record.failures.length >= maxFailures) Object.assign(record, { failures: [], blocked_until: now + block })
  }

  /** The record of an address, moved to the end; the least recently used one beyond the limit is dropped. */
  #record(address: string): Record {
    const key = bucket(address)
    const record = this.#records.get(key) ?? { failures: [], pending: 0, blocked_until: 0 }
    this.#records.delete(key)
    this.#records.set(key, record)
    const oldest = this.#records.keys().next().value
    if (this.#records.size > maxRecords && oldest !== undefined) this.#records.delete(oldest)
    return record
  }
}

const recent = (record: Record, now: number) => record.failures.filter((at) => at > now - window)

/**
 * IPv4 and its mapped IPv6 form (RFC 4291, section 2.5.5.2) are one address; an IPv6 /64 belongs to one client, and
 * 127.0.0.0/8 to this machine.
 */
export function bucket(address: string): string {
  const plain = unmapped(address)
  return plain.startsWith('127.') ? '127.0.0.1' : plain
}

function unmapped(address: string): string {
  if (!address.includes(':')) return address
  const all = groups(address)
  const mapped = all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff'
  return mapped ? dotted(all.slice(6)) : all.slice(0, 4).join(':')
}

/** The eight groups without leading zeros; a dotted-decimal ending counts as two groups. */
function groups(address: string): string[] {
  const plain = (address.split('%')[0] ?? '').toLowerCase().replace(/(?<!\d)\d+\.\d+\.\d+\.\d+$/, hexadecimal)
  const [head = '', tail = ''] = plain.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}

const hexadecimal = (ipv4: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

const dotted = (pair: string[]) =>
  pair
    .map((group) => Number.parseInt(group, 16))
    .map((group) => `${group >> 8}.${group & 255}`)
    .join('.')

/** The limiter shared by all credential checks of this process. */
export const limiter = processState(() => new Limiter())
