import { minute } from '../time.ts'

/** Time that a person has to answer. */
export const approvalTime = 30 * minute

/** Kind of the work that closes an approval which nobody answered. */
export const approvalExpiryKind = 'chat.approval_expiry'

/** Kind of the work that makes one answer. Its subject is the answer's message, its lane the conversation. */
export const turnKind = 'chat.turn'

/** Kind of the work that delivers a check-in when its time has come. */
export const checkInKind = 'chat.check_in'
