import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { day, iso } from '../time.ts'
import type { AlertEntry, AlertEvent, StoredAlert } from './alert-schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row extends Omit<StoredAlert, 'delivery' | 'enabled' | 'armed'> {
  delivery: string
  enabled: number
  armed: number
}

const toAlert = (row: Row): StoredAlert => ({
  ...row,
  delivery: JSON.parse(row.delivery) as StoredAlert['delivery'],
  enabled: row.enabled === 1,
  armed: row.armed === 1,
})

export async function listStoredAlerts({ sql }: Sql): Promise<StoredAlert[]> {
  return (await sql.read<Row>('SELECT * FROM alerts ORDER BY id')).map(toAlert)
}

export async function findAlert({ sql }: Sql, id: string): Promise<StoredAlert | null> {
  const [row] = await sql.read<Row>('SELECT * FROM alerts WHERE id = ?', [id])
  return row ? toAlert(row) : null
}

export async function hasEnabledAlerts({ sql }: Sql): Promise<boolean> {
  return (await sql.read('SELECT 1 FROM alerts WHERE enabled = 1 LIMIT 1')).length > 0
}

export async function countAlertsByState({ sql }: Sql): Promise<Record<string, number>> {
  const rows = await sql.read<{ state: string; count: number }>(
    'SELECT state, count(*) AS count FROM alerts GROUP BY state',
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

export const insertAlert = (alert: StoredAlert): Statement => ({
  sql: `INSERT INTO alerts (id, name, condition, threshold, period_minutes, delivery, enabled, state, armed, error,
    last_triggered, snoozed_until, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [alert.id, ...values(alert), alert.created_at, alert.updated_at],
})

const values = (alert: StoredAlert) => [
  alert.name,
  alert.condition,
  alert.threshold,
  alert.period_minutes,
  JSON.stringify(alert.delivery),
  Number(alert.enabled),
  alert.state,
  Number(alert.armed),
  alert.error,
  alert.last_triggered,
  alert.snoozed_until,
]

/** Fails if the alert was changed or deleted since `old` was read, so that only one of two daemons sends the event. */
export const updateAlert = (old: StoredAlert, alert: StoredAlert): Statement => ({
  sql: `UPDATE alerts SET name = ?, condition = ?, threshold = ?, period_minutes = ?, delivery = ?, enabled = ?, state = ?,
    armed = ?, error = ?, last_triggered = ?, snoozed_until = ?, updated_at = ?
    WHERE id = ? AND state = ? AND armed = ? AND updated_at = ? AND error IS ? AND snoozed_until IS ?`,
  args: [
    ...values(alert),
    alert.updated_at,
    ...[old.id, old.state, Number(old.armed), old.updated_at, old.error, old.snoozed_until],
  ],
  guard: 'The alert was changed in the meantime',
})

export const deleteAlert = (id: string): Statement[] => [
  { sql: 'DELETE FROM alert_history WHERE alert_id = ?', args: [id] },
  { sql: 'DELETE FROM alerts WHERE id = ?', args: [id], guard: 'The alert was already deleted' },
]

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
): Statement => ({
  sql: `INSERT INTO alert_history (id, alert_id, at, event, value, by, note)
    SELECT ?, id, ?, ?, ?, ?, ? FROM alerts WHERE id = ?`,
  args: [newId('alh', clock.now()), iso(clock.now()), event, value, by, note, alert],
})

/** Newest first. */
export async function listEntries(host: Sql, alert: string, page: Page) {
  const select = 'SELECT id, at, event, value, by, note FROM alert_history WHERE alert_id = ?'
  const { rows: history, total } = await selectPage<Omit<AlertEntry, 'value_text'>>(
    host,
    { select, args: [alert], order: 'id DESC' },
    page,
  )
  return { history, total }
}

const keptHistory = 90 * day

export const pruneHistory = ({ clock }: Pick<Host, 'clock'>): Statement => ({
  sql: 'DELETE FROM alert_history WHERE at < ?',
  args: [iso(clock.now() - keptHistory)],
})
