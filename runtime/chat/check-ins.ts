import { profile } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { readSection } from '../sections/section.ts'
import { day, iso, minute } from '../time.ts'
import type { WorkEnding } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { dayAfter, dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import {
  countArmed,
  countDelivered,
  deleteCheckIn,
  findCheckInOf,
  insertCheckIn,
  nextSequence,
  openCheckIns,
  type StoredCheckIn,
} from './check-in-store.ts'
import { findConversation } from './conversation-store.ts'
import { type ProactiveSettings, proactiveSettings, quietUntil } from './proactive.ts'
import {
  type CheckIn,
  type ConversationKind,
  checkInKind,
  type Message,
  maxOpenCheckIns,
  type NewCheckIn,
} from './schema.ts'
import type { Turn } from './turn/state.ts'

export const mayCheckIn = ({ enabled, check_ins }: ProactiveSettings): boolean => enabled && check_ins

interface Day {
  zone: string
  now: number
  /** Check-ins delivered since the day began in that zone. */
  delivered: number
}

/** When a due check-in may be delivered, in milliseconds since the epoch: now or later. */
export function deliverAt(settings: ProactiveSettings, { zone, now, delivered }: Day): number {
  // A change of the settings reschedules it; until then once a day is enough.
  if (!mayCheckIn(settings)) return now + day
  const full = delivered >= settings.max_per_day
  return quietUntil(settings.quiet_hours, zone, full ? tomorrow(zone, now) : now)
}

function tomorrow(zone: string, now: number): number {
  const read = zoneReader(zone)
  return startOfDay(dayAfter(dayLabel(read(now))), read)
}

/** `deliverAt` with the stored settings and counts. */
export async function nextDelivery(host: Context): Promise<number> {
  const [settings, { timezone }] = await Promise.all([readSection(host, proactiveSettings), readSection(host, profile)])
  const now = host.clock.now()
  const read = zoneReader(timezone)
  const delivered = await countDelivered(host, iso(startOfDay(dayLabel(read(now)), read)))
  return deliverAt(settings, { zone: timezone, now, delivered })
}

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

const maxGap = 60

/** Minutes that a check-in waits at least. They double with each one since a person last wrote, up to an hour. */
const minDelay = (sequence: number): number => Math.min(2 ** (sequence - 1), maxGap)

/**
 * The rows and events of a new check-in, for the commit that arms it. An agent that arms one after the other spends ever
 * more slowly.
 */
export async function armCheckIn(context: Context, arming: Arming): Promise<Armed> {
  const now = context.clock.now()
  const sequence = await nextSequence(context, arming.conversation_id)
  const delay_minutes = Math.max(arming.delay_minutes, minDelay(sequence))
  const due = now + delay_minutes * minute
  const checkIn: StoredCheckIn = {
    ...arming,
    delay_minutes,
    check_in_id: newId('chk', now),
    due_at: iso(due),
    status: 'pending',
    sequence,
    message_id: null,
  }
  const work = insertWork(context, { kind: checkInKind, subject: checkIn.check_in_id, due })
  const events = [changed(checkIn), event('check_in.armed', { ...named(checkIn), due_at: checkIn.due_at })]
  return {
    checkIn,
    statements: [insertCheckIn(checkIn, maxOpenCheckIns), countArmed(arming.conversation_id), work.statement],
    events,
  }
}

const named = ({ check_in_id, conversation_id, agent_id }: StoredCheckIn) => ({
  check_in_id,
  conversation_id,
  agent_id,
})

/** The event that the open check-ins of a conversation have changed. */
export const changed = ({ conversation_id, agent_id }: StoredCheckIn): EventInput => ({
  type: 'chat.check_in.changed',
  data: { conversation_id, agent_id },
})

export const delivered = (checkIn: StoredCheckIn): EventInput => ({
  type: 'check_in.delivered',
  data: named(checkIn),
})

/** Closes the check-in that a turn delivers, when the turn starts. */
export async function closeDelivered(context: Context, message: string): Promise<void> {
  const checkIn = await findCheckInOf(context, message)
  if (checkIn) await context.commit([deleteCheckIn(checkIn.check_in_id)], [changed(checkIn), delivered(checkIn)])
}

/**
 * The same for a turn that ends without having started: its error is in the conversation, so it must not be
 * repeated.
 */
export async function withDelivered(context: Context, message: string, ending: WorkEnding): Promise<WorkEnding> {
  const checkIn = await findCheckInOf(context, message)
  if (!checkIn) return ending
  return {
    ...ending,
    statements: [...(ending.statements ?? []), deleteCheckIn(checkIn.check_in_id)],
    events: [...(ending.events ?? []), changed(checkIn), delivered(checkIn)],
  }
}

/** Phrases in which an agent says that it will come back, in the languages that models mostly answer in. */
const promises: readonly RegExp[] = [
  /\bI(?:'|’)?(?:ll| will| am going to) (?:check|look|report|get|come|follow|circle|ping)(?: you)? (?:back|again|in|up)\b/i,
  /\bI(?:'|’)?(?:ll| will) (?:let you know|keep you posted|update you|notify you|monitor|keep (?:an eye|watching))\b/i,
  /\bI(?:'|’)?(?:m| am) (?:still )?(?:waiting (?:for|on)|monitoring)\b/i,
  /\b(?:check|checking) back (?:in|later|soon|when)\b/i,
  /\bich (?:melde mich|warte (?:noch )?auf|schaue (?:später|gleich) (?:noch ?mal|wieder))\b/i,
  /\bje (?:reviens vers vous|vous tiens au courant|surveille)\b/i,
  /\b(?:te|le) (?:aviso|mantendré)\b/i,
]

/**
 * The sentence in which an answer says that the agent is waiting, or null. A question to the person does not
 * count.
 */
export function saysItWaits(answer: string): string | null {
  const sentences = answer.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim())
  const promise = sentences.findLast((sentence) => promises.some((promise) => promise.test(sentence)))
  return promise && !promise.endsWith('?') ? promise : null
}

/**
 * Whether an agent may check in on such a conversation. A loop, project, workflow or delegating agent decides what
 * follows a turn; a check-in would interfere with it and bypass its budget.
 */
export const mayReturnTo = ({ kind }: { kind: ConversationKind }): boolean => kind !== 'internal' && kind !== 'loop'

/**
 * After this many check-ins without a message of a person, no more are armed automatically: they would cost
 * money unnoticed.
 */
const maxUnasked = 3

const fallbackMinutes = 10
const afterRestartMinutes = 1

/** Arms a check-in for an agent that says it is waiting but has not armed one. */
export async function fallbackCheckIn({
  context,
  message,
  conversation,
  agent,
}: Pick<Turn, 'context' | 'message' | 'conversation' | 'agent'>): Promise<Armed | null> {
  // Nobody is asked about it, so untrusted text must not be able to cause it.
  if (!mayReturnTo(conversation) || (conversation.tainted && conversation.execution_mode !== 'autonomous')) return null
  if (message.parts.some((part) => part.type === 'tool_use' && part.tool === 'arm_check_in')) return null
  const waiting_on = saysItWaits(message.content)
  if (!waiting_on) return null
  const request = {
    delay_minutes: fallbackMinutes,
    waiting_on: waiting_on.slice(0, 1_000),
    estimate_basis: 'The agent gave none',
  }
  return armUnasked(context, {
    ...request,
    conversation_id: message.conversation_id,
    agent_id: agent.id,
    source: 'fallback',
  })
}

/**
 * Arms a check-in for a turn that a restart has interrupted. For a scheduled turn the retries of its job
 * decide, and a channel message is answered again immediately.
 */
export async function systemCheckIn(context: Context, message: Message): Promise<Armed | null> {
  const conversation = await findConversation(context, message.conversation_id)
  if (!conversation?.agent_id || !mayReturnTo(conversation)) return null
  if (conversation.kind === 'scheduled' || conversation.kind === 'channel') return null
  const request = {
    delay_minutes: afterRestartMinutes,
    waiting_on: 'the answer that a restart of the daemon interrupted',
    estimate_basis: 'The daemon has restarted',
  }
  return armUnasked(context, {
    ...request,
    conversation_id: conversation.id,
    agent_id: conversation.agent_id,
    source: 'system',
  })
}

async function armUnasked(context: Context, arming: Parameters<typeof armCheckIn>[1]): Promise<Armed | null> {
  if (!mayCheckIn(await readSection(context, proactiveSettings))) return null
  const tooMany = (await nextSequence(context, arming.conversation_id)) > maxUnasked
  const full = (await openCheckIns(context, arming.conversation_id)).length >= maxOpenCheckIns
  return tooMany || full ? null : armCheckIn(context, arming)
}

/** The ending with a new check-in in the same commit. */
export const withCheckIn = (ending: WorkEnding, armed: Armed | null): WorkEnding =>
  armed === null
    ? ending
    : {
        ...ending,
        statements: [...(ending.statements ?? []), ...armed.statements],
        events: [...(ending.events ?? []), ...armed.events],
      }
