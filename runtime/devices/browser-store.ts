import type { z } from 'zod'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import type { Subscriber } from './push.ts'
import type { PushSubscription } from './schema.ts'

interface StoredBrowser {
  id: string
  owner_id: string
  name: string
  endpoint: string
  target: z.output<typeof PushSubscription>
  created_at: string
  updated_at: string
}

export const browsers = new Table<StoredBrowser>('notified_browsers', { json: ['target'] })

/** Deletes the other subscriptions with an endpoint, whoever made them. */
export const replaceEndpoint = ({ id, endpoint }: Pick<StoredBrowser, 'id' | 'endpoint'>): Statement =>
  browsers.delete([{ endpoint }, sql`id <> ${id}`])

export const anyNotified = (host: Sql) => browsers.exists(host)

/** The browsers of a user as subscribers. */
export async function browsersOf(host: Sql, owner_id: string): Promise<Subscriber[]> {
  const own = await browsers.list(host, 'id', { owner_id })
  return own.map(({ id, target }) => ({ id, push: target, expired: browsers.delete({ id }) }))
}
