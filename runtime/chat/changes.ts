import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, notFound } from '../fault.ts'
import { listChangedAnswers, listMergedChanges } from '../tools/change-store.ts'
import { describeChanges, type KeptChange, undoChanges } from '../tools/file-changes.ts'
import { guardPresent, recountMessages } from './conversation-store.ts'
import { requireOwnConversation } from './conversations.ts'
import { draft, findLatestMessage, findMessage, insertMessage } from './message-store.ts'
import type { Message } from './schema.ts'

/** The answers that have changed files, oldest first. */
export async function listAnswersWithChanges(context: Context, id: string) {
  await requireOwnConversation(context, id)
  return listChangedAnswers(context, id)
}

/** What an answer and its helpers have changed in files. */
export async function showAnswerChanges(context: Context, id: string, message_id: string): Promise<KeptChange[]> {
  await requireAnswer(context, id, message_id)
  return describeChanges(context, await listMergedChanges(context, { answer_id: message_id }))
}

/** Takes what an answer has changed out of the files again, and notes it for the agent. What others have changed since stays. */
export async function undoAnswer(
  context: Context,
  id: string,
  message_id: string,
): Promise<{ changes: KeptChange[]; paths: string[] }> {
  await requireAnswer(context, id, message_id)
  const { status } = await requireOwnConversation(context, id)
  if (status !== 'idle') throw conflict('The conversation is busy; stop the answer first')
  const before = await listMergedChanges(context, { answer_id: message_id })
  const { paths, changes, statement } = await undoChanges(context, before)
  const answer = { changes: await describeChanges(context, changes), paths }
  const last = await findLatestMessage(context, id, 'assistant')
  const note = draft(context, id, { role: 'system', content: noteOf(paths.length, last?.id === message_id) })
  await context.commit(
    [guardPresent(id), statement, insertMessage(note), recountMessages(id)],
    [event('message.injected', { conversation_id: id, message_id: note.id })],
    { answer },
  )
  return answer
}

/** Undoes the latest answer whose changes are not undone; null if there is none. */
export async function undoLatest(context: Context, id: string): Promise<string[] | null> {
  const latest = (await listAnswersWithChanges(context, id)).findLast(({ undone }) => !undone)
  return latest ? (await undoAnswer(context, id, latest.message_id)).paths : null
}

/** It names no file: names may come from untrusted text. */
function noteOf(count: number, isLatest: boolean): string {
  const files = count === 1 ? '1 file' : `${count} files`
  const answer = isLatest ? 'the last answer' : 'an earlier answer'
  return `The person undid what ${answer} had changed, in ${files}. Read files again before you change them.`
}

async function requireAnswer(context: Context, id: string, message_id: string): Promise<Message> {
  await requireOwnConversation(context, id)
  const message = await findMessage(context, message_id)
  if (message?.conversation_id !== id || message.role !== 'assistant') throw notFound(`The answer ${message_id}`)
  return message
}
