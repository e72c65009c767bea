import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { type CheckIn, checkInKind } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** Also where it belongs, and the answer that delivers it. */
export interface StoredCheckIn extends CheckIn {
  conversation_id: string
  message_id: string | null
}

const columns = `id AS check_in_id, agent_id, due_at, delay_minutes, waiting_on, estimate_basis, status, source, sequence,
  conversation_id, message_id`

/** The check-in as the interface shows it. */
export const publicCheckIn = ({ conversation_id: _, message_id: __, ...checkIn }: StoredCheckIn): CheckIn =>
  checkIn

/** Open ones of a conversation, soonest first. */
export const openCheckIns = ({ sql }: Sql, conversation: string): Promise<StoredCheckIn[]> =>
  sql.read<StoredCheckIn>(`SELECT ${columns} FROM check_ins WHERE conversation_id = ? ORDER BY due_at, id`, [
    conversation,
  ])

export async function findCheckIn({ sql }: Sql, id: string): Promise<StoredCheckIn | null> {
  const [row] = await sql.read<StoredCheckIn>(`SELECT ${columns} FROM check_ins WHERE id = ?`, [id])
  return row ?? null
}

/** The check-in that an answer delivers. */
export async function findCheckInOf({ sql }: Sql, message: string): Promise<StoredCheckIn | null> {
  const [row] = await sql.read<StoredCheckIn>(`SELECT ${columns} FROM check_ins WHERE message_id = ?`, [
    message,
  ])
  return row ?? null
}

/** The number that the next one gets: how often the conversation has waited since a person last spoke in it. */
export async function nextSequence({ sql }: Sql, conversation: string): Promise<number> {
  const rows = await sql.read<{ next: number }>(
    'SELECT check_ins_armed + 1 AS next FROM conversations WHERE id = ?',
    [conversation],
  )
  return rows[0]?.next ?? 1
}

export const countArmed = (conversation: string): Statement => ({
  sql: 'UPDATE conversations SET check_ins_armed = check_ins_armed + 1 WHERE id = ?',
  args: [conversation],
})

/** A person has spoken, so the conversation may wait as often again. */
export const forgetArmed = (conversation: string): Statement => ({
  sql: 'UPDATE conversations SET check_ins_armed = 0 WHERE id = ? AND check_ins_armed > 0',
  args: [conversation],
})

/** Refused by its guard when the conversation has `most` open ones. */
export const insertCheckIn = (checkIn: StoredCheckIn, most: number): Statement => ({
  sql: `INSERT INTO check_ins (id, conversation_id, agent_id, due_at, delay_minutes, waiting_on, estimate_basis, status, source,
      sequence, message_id)
    SELECT ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, NULL
    WHERE (SELECT count(*) FROM check_ins WHERE conversation_id = ?) < ?`,
  args: [
    checkIn.check_in_id,
    checkIn.conversation_id,
    checkIn.agent_id,
    checkIn.due_at,
    checkIn.delay_minutes,
    checkIn.waiting_on,
    checkIn.estimate_basis,
    checkIn.source,
    checkIn.sequence,
    checkIn.conversation_id,
    most,
  ],
  guard: `A conversation has at most ${most} open check-ins`,
})

/** Deliveries that were put off are looked at anew at the time that they were armed for. */
export const dueAgain = (): Statement => ({
  sql: `UPDATE work SET due_at = (SELECT due_at FROM check_ins WHERE id = work.subject)
    WHERE kind = ? AND status = 'queued'
      AND EXISTS (SELECT 1 FROM check_ins WHERE id = work.subject AND due_at < work.due_at)`,
  args: [checkInKind],
})

/** Check-ins that have begun a turn since `since`, and those that are about to. */
export async function countDelivered({ sql }: Sql, since: string): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT (SELECT count(*) FROM events WHERE type = 'check_in.delivered' AND ts >= ?)
      + (SELECT count(*) FROM check_ins WHERE status = 'delivering') AS count`,
    [since],
  )
  return row?.count ?? 0
}

/** Of several deliveries of one check-in the first holds. */
export const markDelivering = (id: string, message: string): Statement => ({
  sql: `UPDATE check_ins SET status = 'delivering', message_id = ? WHERE id = ? AND status = 'pending'`,
  args: [message, id],
  guard: 'This check-in is no longer pending',
})

export const deleteCheckIn = (id: string): Statement => ({
  sql: 'DELETE FROM check_ins WHERE id = ?',
  args: [id],
  guard: 'This check-in is no longer open',
})
