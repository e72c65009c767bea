import {
  findConversation,
  guardPresent,
  insertConversation,
  recountMessages,
  refreshStatus,
  type StoredConversation,
  taintConversation,
} from '../../chat/conversation-store.ts'
import { createdEvent, draftConversation } from '../../chat/conversations.ts'
import { draft, insertMessage } from '../../chat/message-store.ts'
import { NewConversation } from '../../chat/schema.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import { iso } from '../../time.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { findMark, setMark } from '../mark-store.ts'
import { type Channel, type Parcel, Undeliverable } from './channel.ts'
import { format } from './format.ts'

/**
 * A message in the conversation that the delivery names, or in one that the job has for its results. It is stored in
 * the commit that marks the run delivered, so it is there once.
 */
export const chat: Channel = async (context, parcel) => {
  const { conversation, before } = await conversationFor(context, parcel)
  const { id } = conversation
  const content = contentOf(parcel)
  const message = draft(context, id, { role: 'assistant', content })
  const data = { conversation_id: id, message_id: message.id, job_id: parcel.job.id, run_id: parcel.run.id }
  return {
    statements: [
      ...(before.statements ?? []),
      insertMessage(message),
      recountMessages(id),
      refreshStatus(id, iso(context.clock.now())),
      ...((await isTainted(context, parcel)) ? [taintConversation(id)] : []),
    ],
    events: [...(before.events ?? []), { type: 'message.injected', data }],
  }
}

function contentOf(parcel: Parcel): string {
  const text = format(parcel) || 'It ended without a word.'
  return parcel.job.delivery.format === 'json' ? `\`\`\`json\n${text}\n\`\`\`` : text
}

interface Place {
  conversation: StoredConversation
  before: WorkEnding
}

async function conversationFor(context: Context, { job }: Parcel): Promise<Place> {
  const named = job.delivery.to ?? (await findMark(context, job.id, 'conversation'))
  const found = named === null ? null : await findConversation(context, named)
  if (found) return { conversation: found, before: { statements: [guardPresent(found.id)] } }
  if (job.delivery.to !== null) throw new Undeliverable(`There is no conversation ${job.delivery.to}`)
  const conversation = await newConversation(context, {
    title: job.name,
    agent_id: job.agent_id ?? undefined,
  })
  const statements = [insertConversation(conversation), setMark(job.id, 'conversation', conversation.id)]
  return { conversation, before: { statements, events: [createdEvent(conversation)] } }
}

async function newConversation(context: Context, wish: { title: string; agent_id: string | undefined }) {
  try {
    return await draftConversation(context, NewConversation.parse(wish))
  } catch (thrown) {
    if (thrown instanceof Fault) throw new Undeliverable(thrown.message)
    throw thrown
  }
}

/** What was made of text from outside is as foreign where it is read again. */
async function isTainted(context: Context, { run }: Parcel): Promise<boolean> {
  const source = run.conversation_id && (await findConversation(context, run.conversation_id))
  return source ? source.tainted : false
}
