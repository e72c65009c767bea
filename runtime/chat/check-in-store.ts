import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { countEvents } from '../events/commit.ts'
import type { Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { rescheduleWork } from '../work/select.ts'
import { type CheckIn, checkInKind } from './schema.ts'

/** A check-in with its conversation and the answer that delivers it. */
export interface StoredCheckIn extends CheckIn {
  conversation_id: string
  message_id: string | null
}

const checkIns = new Table<StoredCheckIn>('check_ins', { columns: { check_in_id: 'id' } })

/** The check-in without the fields that only the runtime needs. */
export const publicCheckIn = ({ conversation_id: _, message_id: __, ...checkIn }: StoredCheckIn): CheckIn => checkIn

/** The open check-ins of a conversation, soonest first. */
export const openCheckIns = (host: Sql, conversation_id: string) =>
  checkIns.list(host, 'due_at, id', { conversation_id })

export const findCheckIn = (host: Sql, check_in_id: string) => checkIns.find(host, { check_in_id })

/** The check-in that an answer delivers. */
export const findCheckInOf = (host: Sql, message_id: string) => checkIns.find(host, { message_id })

/** The sequence number of the next check-in: how many were armed since a person last wrote. */
export async function nextSequence(host: Sql, conversation: string): Promise<number> {
  const rows = await readRows<{ next: number }>(
    host,
    sql`SELECT check_ins_armed + 1 AS next FROM conversations WHERE id = ${conversation}`,
  )
  return rows[0]?.next ?? 1
}

export const countArmed = (conversation: string): Statement =>
  sql`UPDATE conversations SET check_ins_armed = check_ins_armed + 1 WHERE id = ${conversation}`

/** A person has written, so the count of armed check-ins starts over. */
export const forgetArmed = (conversation: string): Statement =>
  sql`UPDATE conversations SET check_ins_armed = 0 WHERE id = ${conversation} AND check_ins_armed > 0`

/** The guard refuses it if the conversation has `max` open check-ins. */
export const insertCheckIn = (checkIn: StoredCheckIn, max: number): Statement => ({
  ...checkIns.insert(
    checkIn,
    '',
    sql`(SELECT count(*) FROM check_ins WHERE conversation_id = ${checkIn.conversation_id}) < ${max}`,
  ),
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
export async function countDelivered(context: Pick<Context, 'sql' | 'caller'>, since: string): Promise<number> {
  const own = sql`EXISTS (SELECT 1 FROM conversations WHERE conversations.id = conversation_id AND ${owned(context)})`
  const delivering = await checkIns.count(context, { status: 'delivering' }, own)
  return delivering + (await countEvents(context, 'check_in.delivered', since))
}

/** The first of several deliveries of one check-in wins. */
export const markDelivering = (check_in_id: string, message_id: string): Statement =>
  checkIns.update(
    { status: 'delivering', message_id },
    { check_in_id, status: 'pending' },
    'This check-in is no longer pending',
  )

export const deleteCheckIn = (check_in_id: string): Statement =>
  checkIns.delete({ check_in_id }, 'This check-in is no longer open')
