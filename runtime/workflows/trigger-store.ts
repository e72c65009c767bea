import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

type Sql = Pick<Host, 'sql'>

export interface Trigger {
  workflow_id: string
  node_id: string
  kind: 'webhook' | 'event' | 'schedule'
  /** Hash of the token of a webhook, type of an event, or id of the job of a schedule. */
  key: string
  config: Record<string, unknown>
  sealed_token: string | null
  /** The last event that was considered. */
  cursor: number
  enabled: boolean
}

type Row = Omit<Trigger, 'config' | 'enabled'> & { config: string; enabled: number }

const toTrigger = (row: Row): Trigger => ({
  ...row,
  config: JSON.parse(row.config) as Trigger['config'],
  enabled: row.enabled === 1,
})

export async function triggersOf({ sql }: Sql, workflow: string): Promise<Trigger[]> {
  const rows = await sql.read<Row>('SELECT * FROM workflow_triggers WHERE workflow_id = ?', [workflow])
  return rows.map(toTrigger)
}

/** The enabled triggers of a kind, those with this key only if one is given. */
export async function enabledTriggers({ sql }: Sql, kind: Trigger['kind'], key?: string): Promise<Trigger[]> {
  const rows = await sql.read<Row>(
    'SELECT * FROM workflow_triggers WHERE kind = ? AND enabled = 1 AND (? IS NULL OR key = ?)',
    [kind, key ?? null, key ?? null],
  )
  return rows.map(toTrigger)
}

export const saveTrigger = (trigger: Trigger): Statement => ({
  sql: `INSERT OR REPLACE INTO workflow_triggers (workflow_id, node_id, kind, key, config, sealed_token, cursor, enabled)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[trigger.workflow_id, trigger.node_id, trigger.kind, trigger.key, JSON.stringify(trigger.config)],
    ...[trigger.sealed_token, trigger.cursor, Number(trigger.enabled)],
  ],
})

export const dropTrigger = ({
  workflow_id,
  node_id,
}: Pick<Trigger, 'workflow_id' | 'node_id'>): Statement => ({
  sql: 'DELETE FROM workflow_triggers WHERE workflow_id = ? AND node_id = ?',
  args: [workflow_id, node_id],
})

/** Only forward, and only if nobody else has considered these events. */
export const moveCursor = ({ workflow_id, node_id, cursor }: Trigger, to: number): Statement => ({
  sql: 'UPDATE workflow_triggers SET cursor = ? WHERE workflow_id = ? AND node_id = ? AND cursor = ?',
  args: [to, workflow_id, node_id, cursor],
  guard: 'Another process has considered these events',
})
