import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { countEvents } from '../events/commit.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { rescheduleWork } from '../work/select.ts'
import { type CheckIn, checkInKind } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** A check-in with its conversation and the answer that delivers it. */
export interface StoredCheckIn extends CheckIn {
  conversation_id: string
  message_id: string | null
}

const columns = `id AS check_in_id, agent_id, due_at, delay_minutes, waiting_on, estimate_basis, status, source, sequence,
  conversation_id, message_id`

/** The check-in without the fields that only the runtime needs. */
export const publicCheckIn = ({ conversation_id: _, message_id: __, ...checkIn }: StoredCheckIn): CheckIn =>
  checkIn

/** The open check-ins of a conversation, soonest first. */
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

/** The sequence number of the next check-in: how many were armed since a person last wrote. */
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

/** A person has written, so the count of armed check-ins starts over. */
export const forgetArmed = (conversation: string): Statement => ({
  sql: 'UPDATE conversations SET check_ins_armed = 0 WHERE id = ? AND check_ins_armed > 0',
  args: [conversation],
})

/** The guard refuses it if the conversation has `max` open check-ins. */
export const insertCheckIn = (checkIn: StoredCheckIn, max: number): Statement => ({
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
    max,
  ],
  guard: `A conversation has at most ${max} open check-ins`,
})

/** Moves postponed deliveries back to their own time: the settings that postponed them have changed. */
export const dueAgain = (): Statement =>
  rescheduleWork(
    { kind: checkInKind },
    '(SELECT due_at FROM check_ins WHERE id = work.subject)',
    'EXISTS (SELECT 1 FROM check_ins WHERE id = work.subject AND due_at < work.due_at)',
  )

/** The owner's check-ins that have started a turn since `since`, and those that are about to. */
export async function countDelivered(
  context: Pick<Context, 'sql' | 'caller'>,
  since: string,
): Promise<number> {
  const own = owned(context)
  const [row] = await context.sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM check_ins WHERE status = 'delivering'
      AND conversation_id IN (SELECT id FROM conversations WHERE ${own.sql})`,
    own.args,
  )
  return (row?.count ?? 0) + (await countEvents(context, 'check_in.delivered', since))
}

/** The first of several deliveries of one check-in wins. */
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
