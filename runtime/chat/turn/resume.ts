import type { Context } from '../../context.ts'
import type { Resumption } from '../../work/kind.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { completeSteps, isAsking, textOf } from '../answer.ts'
import { findConversation } from '../conversation-store.ts'
import { findMessage, updateMessage } from '../message-store.ts'
import type { Message } from '../schema.ts'

/** Times that the daemon may stop during a turn that resumes. */
const maxInterruptions = 10
/** From this many on, the turn may be the cause, so it waits longer each time. */
const suspicious = 3
/** Seconds. */
const firstDelay = 5
const maxDelay = 600

/**
 * How an interrupted turn resumes; null if it is marked as interrupted. A turn that waits for a person keeps waiting. One
 * that a messenger waits for, or behind which others are queued, makes its unfinished step again, before the others: they
 * may build on its answer. Calls that were started are not repeated.
 */
export async function resumption(work: Work, context: Context): Promise<Resumption | null> {
  const message = await findMessage(context, work.subject)
  if (message?.status !== 'streaming') return null
  if (isAsking(message)) return { delay_seconds: 0 }
  if (!(await mustResume(work, context, message))) return null
  const interruptions = work.attempt - countApprovals(message)
  if (interruptions > maxInterruptions) return null
  return {
    delay_seconds:
      interruptions < suspicious ? 0 : Math.min(maxDelay, firstDelay * 2 ** (interruptions - suspicious)),
    statements: [updateMessage(withoutUnfinished(message))],
  }
}

/** A turn that a job, loop, project, workflow or other turn has started is theirs to repeat. */
async function mustResume(
  { id, payload }: Work,
  context: Context,
  { conversation_id }: Message,
): Promise<boolean> {
  if (payload.delegated_by || payload.followed_by) return false
  if ((await findConversation(context, conversation_id))?.kind === 'channel') return true
  const queued = await listWork(context, { lane: conversation_id, status: 'queued' })
  return queued.some((other) => other.id > id)
}

/** Attempts also count the starts after an approval. */
const countApprovals = ({ parts }: Message) => parts.filter(({ type }) => type === 'approval').length

function withoutUnfinished(message: Message): Message {
  const parts = completeSteps(message)
  return { ...message, parts, content: textOf(parts) }
}

/** The answer without the step that its vendor broke off; none of its calls has started. */
export function withoutBrokenStep(message: Message): Message {
  const parts = message.parts.filter((part) => part.type !== 'tool_use' || part.state !== 'proposed')
  return withoutUnfinished({ ...message, parts })
}
