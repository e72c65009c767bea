/** Kind of the work that closes an approval which nobody answered. */
export const approvalExpiryKind = 'chat.approval_expiry'

/** Kind of the work that makes one answer. Its subject is the answer's message, its lane the conversation. */
export const turnKind = 'chat.turn'

/** Kind of the work that finds a title for a conversation. Its subject is the conversation. */
export const titleKind = 'chat.title'

/** Kind of the work that delivers a check-in when its time has come. */
export const checkInKind = 'chat.check_in'

/** On whose account a turn is, as its work's payload says. */
export interface TurnSpender {
  job_id?: string
  loop_id?: string
  run_ref?: string
}
