import { type Approval, findApproval, findMessage, publicApproval, textOf, turnKind } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { second } from '../time.ts'
import { listWork } from '../work/select.ts'
import { lastSent, outboundOfTurn, type StoredOutbound, shownInParts } from './message-store.ts'
import type { Platform } from './platform.ts'
import { isPending, questionOf } from './question.ts'
import { publicUrl } from './settings.ts'
import { splitMarkdown } from './split.ts'

type Rendered =
  /** What is sent; `edits`: the platform's id of the message that it replaces. */
  | { row: StoredOutbound; edits: string | null }
  /** Why nothing is sent. */
  | { nothing: string }
  /** When it can be sent, in milliseconds since the epoch. */
  | { later: number }

/** A queued message as it is sent now: questions and drafts are written out at this moment. */
export async function renderOutbound(context: Context, platform: Platform, row: StoredOutbound): Promise<Rendered> {
  const edits = row.platform_message_id
  if (edits !== null && !platform.edit) return { nothing: 'Messages cannot be changed here' }
  if (row.kind === 'question') return renderQuestion(context, platform, row)
  if (row.kind === 'draft') return renderDraft(context, platform, row)
  if (row.kind === 'answer' && edits === null && platform.edit) return renderAnswer(context, row)
  return { row, edits }
}

/** How long a question waits for those that the same step of the turn also asks, in milliseconds. */
const gathering = 2 * second

async function renderQuestion(context: Context, platform: Platform, row: StoredOutbound): Promise<Rendered> {
  const approvals = await approvalsOf(context, row)
  const edits = row.platform_message_id
  if (!approvals.some(isPending) && edits === null) return { nothing: 'The approval has been decided' }
  const now = context.clock.now()
  const newest = Math.max(...approvals.map(({ requested_at }) => Date.parse(requested_at)))
  if (edits === null && now - newest < gathering && (await isRunning(context, row.turn)))
    return { later: now + second / 2 }
  const page = await publicUrl(context, '/inbox')
  const above = await shownInParts(context, row.channel_id, row.turn ?? '')
  const question = questionOf(row.id, approvals, { platform, page, above })
  const markdown = context.process.redaction.text(question.markdown)
  return { row: { ...row, ...question, markdown }, edits }
}

/** The approvals that a question asks for. */
export async function approvalsOf(context: Context, { approvals: ids }: StoredOutbound): Promise<Approval[]> {
  const stored = await Promise.all(ids.map((id) => findApproval(context, id)))
  return stored.filter((approval) => approval !== null).map(publicApproval)
}

const isRunning = async (context: Context, turn: string | null): Promise<boolean> =>
  turn !== null && (await listWork(context, { kind: turnKind, subject: turn, status: 'running' })).length > 0

async function renderDraft(context: Context, platform: Platform, row: StoredOutbound): Promise<Rendered> {
  const answer = row.turn === null ? null : await findMessage(context, row.turn)
  if (answer?.status !== 'streaming') return { nothing: 'The answer has ended' }
  const text = context.process.redaction.text(textOf(answer.parts))
  // A secret is recognised when it is complete, so the last word waits for its end.
  const whole = text.slice(0, text.search(/\s\S*$/) + 1).trim()
  const [markdown = ''] = splitMarkdown(whole, platform.limits.text_characters)
  if (markdown === row.markdown || markdown === '') return { nothing: 'There is nothing new' }
  return { row: { ...row, markdown }, edits: row.platform_message_id }
}

/** The beginning of an answer replaces its draft. If something was sent after that, only the rest of the text follows. */
async function renderAnswer(context: Context, row: StoredOutbound): Promise<Rendered> {
  const rows = row.turn === null ? [] : await outboundOfTurn(context, row.turn)
  const draft = rows.findLast(({ kind, platform_message_id: id }) => kind === 'draft' && id !== null)
  if (!draft) return { row, edits: null }
  if ((await lastSent(context, row.lane))?.id === draft.id) return { row, edits: draft.platform_message_id }
  const isClosed = (draft.markdown.match(/^ {0,3}(```|~~~)/gm)?.length ?? 0) % 2 === 0
  if (!isClosed || !row.markdown.startsWith(draft.markdown)) return { row, edits: null }
  const markdown = row.markdown.slice(draft.markdown.length).trim()
  if (markdown === '' && row.buttons.length === 0 && row.files.length === 0)
    return { nothing: 'The draft has the whole text' }
  return { row: { ...row, markdown }, edits: null }
}
