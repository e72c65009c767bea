import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso, minute } from '../../time.ts'
import { insertWork } from '../../work/store.ts'
import { checkInKind } from '../kinds.ts'
import { type CheckIn, mostOpen, type NewCheckIn } from './schema.ts'
import { countArmed, insertCheckIn, nextSequence, type StoredCheckIn } from './store.ts'

interface Arming extends NewCheckIn {
  conversation_id: string
  agent_id: string
  source: CheckIn['source']
}

export interface Armed {
  checkIn: StoredCheckIn
  statements: Statement[]
  events: EventInput[]
}

/** The rows and events of a new check-in, for the commit of whatever arms it. */
export async function armCheckIn(context: Context, arming: Arming): Promise<Armed> {
  const now = context.clock.now()
  const due = now + arming.delay_minutes * minute
  const checkIn: StoredCheckIn = {
    ...arming,
    check_in_id: newId('chk', now),
    due_at: iso(due),
    status: 'pending',
    sequence: await nextSequence(context, arming.conversation_id),
    message_id: null,
  }
  const work = insertWork(context, { kind: checkInKind, subject: checkIn.check_in_id, due })
  const events = [
    changed(checkIn),
    { type: 'check_in.armed', data: { ...named(checkIn), due_at: checkIn.due_at } },
  ]
  return {
    checkIn,
    statements: [insertCheckIn(checkIn, mostOpen), countArmed(arming.conversation_id), work.statement],
    events,
  }
}

const named = ({ check_in_id, conversation_id, agent_id }: StoredCheckIn) => ({
  check_in_id,
  conversation_id,
  agent_id,
})

/** The open check-ins of a conversation are other than they were. */
export const changed = ({ conversation_id, agent_id }: StoredCheckIn): EventInput => ({
  type: 'chat.check_in.changed',
  data: { conversation_id, agent_id },
})

export const delivered = (checkIn: StoredCheckIn): EventInput => ({
  type: 'check_in.delivered',
  data: named(checkIn),
})
