import { lookup } from 'node:dns/promises'
import { judgeAddress, type Question } from '../../runtime/outbound/policy.ts'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'

export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Milliseconds, for the name and again for the connection. */
export const connectLimit = 10_000

export const systemResolve: Resolve = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map(({ address }) => address)
}

/**
 * Asks for the addresses of a target once and checks every one. One bad address spoils the name: who mixes a
 * private address among public ones waits for the client to try it.
 */
export function createLocator(resolve: Resolve): (question: Question) => Promise<string[]> {
  return async (question) => {
    const { host, literal } = question.target
    const addresses = literal ? [host] : await withLimit(resolve(host), host)
    if (addresses.length === 0) throw new TypeError(`${host} has no address`)
    for (const address of addresses) {
      const refusal = judgeAddress(question, address)
      if (refusal) throw new OutboundBlocked(refusal)
    }
    return [...addresses]
  }
}

async function withLimit<Value>(work: Promise<Value>, host: string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TypeError(`${host} was not resolved in time`)), connectLimit)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
