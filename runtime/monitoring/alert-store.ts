import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'
import { day, iso } from '../time.ts'
import type { AlertEntry, AlertEvent } from './alert-schema.ts'

export async function hasEnabledAlerts(host: Sql): Promise<boolean> {
  return (await readRows<object>(host, sql`SELECT 1 FROM alerts WHERE enabled = 1 LIMIT 1`)).length > 0
}

export async function countAlertsByState(host: Sql): Promise<Record<string, number>> {
  const rows = await readRows<{ state: string; count: number }>(
    host,
    sql`SELECT state, count(*) AS count FROM alerts GROUP BY state`,
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

interface NewEntry {
  event: AlertEvent
  value?: number | null
  by?: string | null
  note?: string | null
}

/** Writes nothing if the alert has been deleted. */
export const insertEntry = (
  { clock }: Pick<Host, 'clock'>,
  alert: string,
  { event, value = null, by = null, note = null }: NewEntry,
): Statement => sql`INSERT INTO alert_history (id, alert_id, at, event, value, by, note)
    SELECT ${newId('alh', clock.now())}, id, ${iso(clock.now())}, ${event}, ${value}, ${by}, ${note} FROM alerts
    WHERE id = ${alert}`

/** Newest first. */
export function listEntries(host: Sql, alert: string, page: Page) {
  const select = 'SELECT id, at, event, value, by, note FROM alert_history WHERE alert_id = ?'
  return selectPage<Omit<AlertEntry, 'value_text'>>(host, { select, args: [alert], order: 'id DESC' }, page)
}

const keptHistory = 90 * day

export const pruneHistory = ({ clock }: Pick<Host, 'clock'>): Statement =>
  sql`DELETE FROM alert_history WHERE at < ${iso(clock.now() - keptHistory)}`
