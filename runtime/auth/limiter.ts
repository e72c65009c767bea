import { minute, second } from '../time.ts'

interface Record {
  failures: number[]
  blocked_until: number
}

const window = 60 * second
const most = 10
const block = 5 * minute
const remembered = 10_000

/**
 * Counts failed credentials by address: 10 within 60 s shut the address out for 5 minutes.
 * Login, validation, pairing, sockets and every protected endpoint share one.
 */
export class Limiter {
  readonly #records = new Map<string, Record>()

  /** Seconds that the address still has to wait; 0 when it may try. */
  waitSeconds(address: string, now: number): number {
    const record = this.#records.get(bucket(address))
    return record && record.blocked_until > now ? (record.blocked_until - now) / second : 0
  }

  fail(address: string, now: number): void {
    const key = bucket(address)
    const failures = (this.#records.get(key)?.failures ?? []).filter((at) => at > now - window)
    failures.push(now)
    this.#records.delete(key)
    this.#records.set(key, { failures, blocked_until: failures.length >= most ? now + block : 0 })
    this.#forgetOldest()
  }

  #forgetOldest(): void {
    if (this.#records.size <= remembered) return
    const oldest = this.#records.keys().next().value
    if (oldest !== undefined) this.#records.delete(oldest)
  }
}

/** IPv4 and its mapped IPv6 form are one address; an IPv6 /64 belongs to one client. */
export function bucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  if (!address.includes(':')) return address
  return groups(address).slice(0, 4).join(':')
}

function groups(address: string): string[] {
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
}
