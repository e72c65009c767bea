import { ownValue } from '../../own-value.ts'
import type { ImportReport } from '../schema.ts'
import type { Node } from './file.ts'

const kinds = {
  httpHeaderAuth: 'header',
  httpQueryAuth: 'query',
  httpBasicAuth: 'basic',
  httpDigestAuth: 'basic',
  ...{ postgres: 'database', mySql: 'database', redis: 'database', crateDb: 'database', questDb: 'database' },
  timescaleDb: 'database',
} as const

/** The credential of a node by the name that it had: a file of n8n has no secrets. */
export function credentialOf({ credentials }: Node): Omit<ImportReport['credentials'][number], 'node_ids'> | null {
  const [[type, value] = []] = Object.entries(credentials)
  const name = typeof value === 'string' ? value : value?.name
  if (type === undefined || !name) return null
  return { name, kind: ownValue(kinds, type) ?? (/oauth2/i.test(type) ? 'oauth2' : 'bearer') }
}

/** Notes a credential once for all nodes that use it. */
export function noteCredential(
  { credentials }: ImportReport,
  node_id: string,
  credential: NonNullable<ReturnType<typeof credentialOf>>,
): void {
  const noted = credentials.find(({ name }) => name === credential.name)
  if (noted) noted.node_ids.push(node_id)
  else credentials.push({ ...credential, node_ids: [node_id] })
}
