import type { Context } from '../../context.ts'
import { offlineProvider } from '../../models/models.ts'
import { findTool } from '../../tools/registry.ts'
import type { Resumption } from '../../work/kind.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { completeSteps, isAsking, openCalls, textOf } from '../answer.ts'
import { findConversation } from '../conversation-store.ts'
import { findMessage, updateMessage } from '../message-store.ts'
import { changesIn } from '../run-report.ts'
import type { DelegatedBy, Message, MessageError } from '../schema.ts'

/** Times that the daemon may stop during a turn that resumes. */
const maxInterruptions = 10
/** From this many on, the turn may be the cause, so it waits longer each time. */
const suspicious = 3
/** Seconds. */
const firstDelay = 5
const maxDelay = 600

/**
 * How an interrupted turn resumes; null if it is marked as interrupted. A turn that waits for a person or a helper keeps
 * waiting. One that works for a messenger, job, loop, project, workflow or other turn, or behind which others are queued,
 * makes its unfinished step again, before the others: they may build on its answer. Of the calls that were started only
 * those of resumable tools are repeated.
 */
export async function resumption(work: Work, context: Context): Promise<Resumption | null> {
  const message = await findMessage(context, work.subject)
  if (message?.status !== 'streaming') return null
  if (isAsking(message)) return { delay_seconds: 0 }
  if (!(await mustResume(work, context, message))) return null
  const interruptions = countInterruptions(work, message)
  if (interruptions > maxInterruptions) return null
  return {
    delay_seconds: interruptions < suspicious ? 0 : Math.min(maxDelay, firstDelay * 2 ** (interruptions - suspicious)),
    statements: [updateMessage(withoutUnfinished(message))],
  }
}

async function mustResume(work: Work, context: Context, message: Message): Promise<boolean> {
  const { delegated_by, followed_by } = work.payload
  if (delegated_by)
    return (await findMessage(context, (delegated_by as DelegatedBy).message_id))?.status === 'streaming'
  if (await waitsForItsWork(context, message)) return true
  if (followed_by) return !(await isRisky(context, message))
  if ((await findConversation(context, message.conversation_id))?.kind === 'channel') return true
  const queued = await listWork(context, { lane: message.conversation_id, status: 'queued' })
  return queued.some(({ id }) => id > work.id)
}

/** Whether a started call continues its work after a restart, as one that waits for a helper does. */
async function waitsForItsWork(context: Context, message: Message): Promise<boolean> {
  const started = openCalls(message).filter(({ state }) => state === 'started')
  const tools = await Promise.all(started.map(({ tool }) => findTool(context, tool)))
  return tools.some((tool) => tool?.resumable)
}

/** Whether something may be done twice; then the job, loop, project or workflow decides, or asks its owner. */
async function isRisky(context: Context, message: Message): Promise<boolean> {
  const isOffline = message.provider === offlineProvider
  // The offline model does not see what it did.
  return (
    (await changesIn(context, [message], 'started')).length > 0 ||
    (isOffline && (await changesIn(context, [message], 'done')).length > 0)
  )
}

/** The error of a turn that does not resume. */
export function endOfInterrupted(work: Work, message: Message): MessageError {
  const interruptions = countInterruptions(work, message)
  const times = interruptions > maxInterruptions ? ` ${interruptions} times` : ''
  return { code: 'interrupted', message: `The daemon stopped${times} in the middle of this answer` }
}

/** Attempts also count the starts after an approval. */
const countInterruptions = ({ attempt }: Work, { parts }: Message): number =>
  attempt - parts.filter((part) => part.type === 'approval' && !part.question).length

function withoutUnfinished(message: Message): Message {
  const parts = completeSteps(message)
  return { ...message, parts, content: textOf(parts) }
}

/** The answer without the step that its vendor broke off; none of its calls has started. */
export function withoutBrokenStep(message: Message): Message {
  const parts = message.parts.filter((part) => part.type !== 'tool_use' || part.state !== 'proposed')
  return withoutUnfinished({ ...message, parts })
}
