import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

/** What the tokens of webhooks are sealed for. */
export const tokenPurpose = 'workflow webhook'

export interface Trigger {
  workflow_id: string
  node_id: string
  kind: 'webhook' | 'form' | 'event' | 'schedule'
  /** Hash of the token of a webhook or form, type of an event, or id of the job of a schedule. */
  key: string
  config: Record<string, unknown>
  sealed_token: string | null
  /** The last event that was considered. */
  cursor: number
  enabled: boolean
}

const triggers = new Table<Trigger>('workflow_triggers', { json: ['config'], booleans: ['enabled'] })

export const triggersOf = (host: Sql, workflow_id: string): Promise<Trigger[]> =>
  triggers.list(host, 'node_id', { workflow_id })

/** The enabled triggers of a kind, those with this key only if one is given. */
export const enabledTriggers = (host: Sql, kind: Trigger['kind'], key?: string): Promise<Trigger[]> =>
  triggers.list(host, 'workflow_id, node_id', { kind, enabled: true }, key === undefined ? {} : { key })

export const saveTrigger = (trigger: Trigger): Statement => triggers.upsert(trigger, 'workflow_id, node_id')

export const dropTrigger = ({ workflow_id, node_id }: Pick<Trigger, 'workflow_id' | 'node_id'>): Statement =>
  triggers.delete({ workflow_id, node_id })

/** Only forward, and only if nobody else has considered these events. */
export const moveCursor = ({ workflow_id, node_id, cursor }: Trigger, to: number): Statement =>
  triggers.update({ cursor: to }, { workflow_id, node_id, cursor }, 'Another process has considered these events')
