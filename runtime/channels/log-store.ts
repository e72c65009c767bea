import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { sql } from '../statement.ts'
import type { Sql } from '../table.ts'
import { iso } from '../time.ts'
import type { LogEntry } from './schema.ts'

/** Log entries kept per channel. */
const kept = 200
const maxDetail = 500

export function logEntry(
  { clock }: Pick<Host, 'clock'>,
  channel: string,
  { direction, outcome, detail }: Pick<LogEntry, 'direction' | 'outcome' | 'detail'>,
): Statement[] {
  const now = clock.now()
  return [
    sql`INSERT INTO channel_log (id, channel_id, at, direction, outcome, detail)
      VALUES (${newId('log', now)}, ${channel}, ${iso(now)}, ${direction}, ${outcome}, ${detail.slice(0, maxDetail)})`,
    sql`DELETE FROM channel_log WHERE channel_id = ${channel} AND id <= (
        SELECT id FROM channel_log WHERE channel_id = ${channel} ORDER BY id DESC LIMIT 1 OFFSET ${kept})`,
  ]
}

export function listLog(host: Sql, channel: string, page: Page) {
  const select = 'SELECT id, at, direction, outcome, detail FROM channel_log WHERE channel_id = ?'
  return selectPage<LogEntry>(host, { select, args: [channel], order: 'id DESC' }, page)
}
