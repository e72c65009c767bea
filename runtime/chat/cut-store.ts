import type { Statement } from '../ports/sql.ts'

/** A summary has the id of the last message that it stands for, and this behind it: it sorts right behind that one. */
export const summaryMark = '0'

const lengthOfId = 'msg_'.length + 26
const isSummary = `role = 'system' AND length(id) = ${lengthOfId + summaryMark.length}`

const cutsFrom = (conversation: string, sql: string, args: readonly string[]): Statement[] => [
  {
    sql: `DELETE FROM messages WHERE conversation_id = ? AND ${sql} RETURNING id`,
    args: [conversation, ...args],
  },
  ...mend(conversation),
]

/** The first statement says what was removed; those behind it put right what the rest was bound to. */
export const cutAfter = (conversation: string, id: string): Statement[] =>
  cutsFrom(conversation, 'id > ?', [id])

export const cutAt = (conversation: string, id: string): Statement[] =>
  cutsFrom(conversation, 'id >= ?', [id])

/** Also the answer that took the message in while it was being made, though it comes before it. */
export const cutAnswersTo = (conversation: string, asked: string): Statement[] =>
  cutsFrom(conversation, '(id > ? OR id IN (SELECT steers FROM messages WHERE id = ?))', [asked, asked])

export const cutBefore = (conversation: string, keep: number): Statement[] => [
  {
    sql: `DELETE FROM messages WHERE conversation_id = ? AND id NOT IN (
      SELECT id FROM messages WHERE conversation_id = ? ORDER BY id DESC LIMIT ?) RETURNING id`,
    args: [conversation, conversation, keep],
  },
  ...mend(conversation),
]

/**
 * The model reads again what was folded into a summary that is gone, and what was taken in by an answer that is gone.
 * Nothing changes while both are there.
 */
const mend = (conversation: string): Statement[] => [
  {
    sql: `UPDATE messages SET compacted = 0 WHERE conversation_id = ? AND compacted = 1 AND id >= coalesce(
      (SELECT max(id) FROM messages WHERE conversation_id = ? AND ${isSummary}), '')`,
    args: [conversation, conversation],
  },
  {
    sql: `UPDATE messages SET steers = NULL WHERE conversation_id = ? AND steers IS NOT NULL
      AND steers NOT IN (SELECT id FROM messages WHERE conversation_id = ?)`,
    args: [conversation, conversation],
  },
]
