import { databaseAddress } from '../databases/address.ts'
import { matchesHost, parseTarget, readRule, type Target } from '../outbound/targets.ts'
import type { Fields, FieldsOf } from './kinds.ts'

export function parsedTestUrl(text: string): Target | null {
  const parsed = parseTarget(text)
  return parsed.ok ? parsed.target : null
}

interface Places {
  hosts: readonly string[]
  test_url: string
}

/** The hosts to which a credential may be sent. */
export function hostsOf({ hosts, test_url }: Places): readonly string[] {
  if (hosts.length > 0) return hosts
  const target = parsedTestUrl(test_url)
  if (!target) return []
  const { host, protocol } = target.url
  return [protocol === 'https:' ? host : `${target.url.hostname}:${target.port}`]
}

/** The server of a database, which a password must not follow to another one. */
const serverOf = ({ url }: FieldsOf<'database'>): string => {
  const address = databaseAddress(url)
  return typeof address === 'string' ? '' : `${address.engine}://${address.host}:${address.port}`
}

/** Where a credential and its parts may be sent. */
export const placesOf = (places: Places, fields: Fields): readonly string[] => [
  ...hostsOf(places),
  ...(fields.kind === 'oauth2' ? [new URL(fields.token_url).origin] : []),
  ...(fields.kind === 'database' ? [serverOf(fields)] : []),
]

/** Whether a credential may be sent to a URL: without encryption only to a port that an entry names. */
export const allows = (places: Places, { host, port, url }: Target): boolean =>
  hostsOf(places).some((text) => {
    const rule = readRule(text)
    return rule !== null && matchesHost(rule, host, port) && (url.protocol === 'https:' || rule.port !== null)
  })
