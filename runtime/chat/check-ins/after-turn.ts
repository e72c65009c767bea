import type { Context } from '../../context.ts'
import { proactiveSettings } from '../../settings/proactive.ts'
import { readSection } from '../../settings/section.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { findConversation } from '../conversation-store.ts'
import type { Message } from '../schema.ts'
import { type Armed, armCheckIn } from './arm.ts'
import { mostOpen } from './schema.ts'
import { nextSequence, openCheckIns } from './store.ts'
import { saysItWaits } from './waits.ts'
import { mayCheckIn } from './when.ts'

/** A conversation that waits again and again without a person is left alone: it would spend unseen. */
const mostUnasked = 3

const fallbackMinutes = 10
const afterRestartMinutes = 1

/** An agent that says it waits and armed nothing gets a check-in all the same. */
export async function fallbackCheckIn(
  context: Context,
  message: Message,
  agentId: string,
): Promise<Armed | null> {
  if (message.parts.some((part) => part.type === 'tool_use' && part.tool === 'arm_check_in')) return null
  const waiting_on = saysItWaits(message.content)
  if (!waiting_on) return null
  const wish = {
    delay_minutes: fallbackMinutes,
    waiting_on: waiting_on.slice(0, 1_000),
    estimate_basis: 'The agent gave none',
  }
  return armUnasked(context, {
    ...wish,
    conversation_id: message.conversation_id,
    agent_id: agentId,
    source: 'fallback',
  })
}

/** A turn that a restart has cut is looked at again soon; of a scheduled one its job's retries decide. */
export async function systemCheckIn(context: Context, message: Message): Promise<Armed | null> {
  const conversation = await findConversation(context, message.conversation_id)
  if (!conversation?.agent_id || conversation.kind === 'scheduled') return null
  const wish = {
    delay_minutes: afterRestartMinutes,
    waiting_on: 'the answer that a restart of the daemon has cut',
    estimate_basis: 'The daemon is back',
  }
  return armUnasked(context, {
    ...wish,
    conversation_id: conversation.id,
    agent_id: conversation.agent_id,
    source: 'system',
  })
}

async function armUnasked(context: Context, arming: Parameters<typeof armCheckIn>[1]): Promise<Armed | null> {
  if (!mayCheckIn(await readSection(context, proactiveSettings))) return null
  const often = (await nextSequence(context, arming.conversation_id)) > mostUnasked
  const full = (await openCheckIns(context, arming.conversation_id)).length >= mostOpen
  return often || full ? null : armCheckIn(context, arming)
}

/** The ending with a check-in in the same commit. */
export const withCheckIn = (ending: WorkEnding, armed: Armed | null): WorkEnding =>
  armed === null
    ? ending
    : {
        ...ending,
        statements: [...(ending.statements ?? []), ...armed.statements],
        events: [...(ending.events ?? []), ...armed.events],
      }
