import { type Approval, answerApproval, listApprovals } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import type { WorkEnding } from '../work/kind.ts'
import type { StoredChannel } from './channel-store.ts'
import { platformOf } from './connection.ts'
import type { Accepted } from './conversation.ts'
import { logEntry } from './log-store.ts'
import { findOutbound, findSent, lastQuestion, outboundOfTurn, shownInParts } from './message-store.ts'
import { approvePairing, denyPairing } from './pairing.ts'
import { findOwnPairing } from './pairing-store.ts'
import type { Button } from './platform.ts'
import { approvalCode, elsewhere, isPending, isReadable, mayAnswerAll, outcomeOf } from './question.ts'
import { approvalsOf } from './render.ts'
import { laneOf, queueEdit, queueReply } from './send.ts'
import { publicUrl } from './settings.ts'
import { runSlash, slashOf } from './slash.ts'

export const pairingButtons = (id: string): Button[] => [
  { label: 'Allow as a guest', value: `pair ${id}`, style: 'primary' },
  { label: 'Deny', value: `deny ${id}`, style: 'danger' },
]

export const alreadyAnswered = 'This has already been answered.'

/** What a person answers to a question: `approve apr_1`, `yes ABCDE`, `yes all`, `reject out_1 3`, `pair ABCD as owner`. */
const answerPattern =
  /^\/?(approve|yes|reject|no|pair|deny)[ :]{1,3}([0-9a-z_]{1,40})(?: (\d{1,2}))?( as owner)?[.!]?$/i

/** Runs a command, given as a button or a short text; null if the message is for the agent. */
export async function command(context: Context, accepted: Accepted): Promise<WorkEnding | null> {
  const { channel, received, from_owner } = accepted
  const { message } = received
  const text = (message.kind === 'button' ? (message.value ?? '') : message.text).trim()
  const [, verb = '', name = '', count, role = ''] = answerPattern.exec(text) ?? []
  if (verb !== '') {
    if (from_owner) {
      const answer = { verb: verb.toLowerCase(), name, count: Number(count ?? 0), role }
      const decided = await decide(asOwner(context, channel), accepted, answer)
      if (decided) return decided
    } else if (message.kind === 'button') {
      const detail = `${message.sender.name ?? message.sender.id} pressed a button that only the owner may use`
      return { statements: logEntry(context, channel.id, { direction: 'inbound', outcome: 'refused', detail }) }
    }
  }
  const slash = slashOf(message)
  return slash && runSlash(context, accepted, slash)
}

interface Answer {
  verb: string
  /** An id, a code or `all`. */
  name: string
  /** How many of a question's approvals the person saw. */
  count: number
  role: string
}

/** The context with the paired owner as the caller, since they make the decision, not the daemon. */
function asOwner(context: Context, { owner_id, name }: StoredChannel): Context {
  const { owner_id: _, ...caller } = context.caller
  return {
    ...context,
    caller: { ...caller, user_id: owner_id === '' ? null : owner_id, name: `channel ${name}` },
  }
}

/** Null if a text is about nothing that is asked here. */
async function decide(context: Context, accepted: Accepted, answer: Answer): Promise<WorkEnding | null> {
  const { channel, received } = accepted
  const { message } = received
  const isPairing = ['pair', 'deny'].includes(answer.verb)
  const decided = isPairing
    ? await decidePairing(context, channel, { answer, received: message.about })
    : await decideApprovals(context, accepted, answer)
  if (decided === null && message.kind !== 'button') return null
  const { markdown, statements = [] } = decided ?? { markdown: alreadyAnswered }
  if (markdown === '') return { statements }
  return { statements: [...statements, ...(await queueReply(context, channel, received, markdown))] }
}

/** `markdown` is empty if the question itself shows the outcome. */
type Decided = { markdown: string; statements?: WorkEnding['statements'] } | null

async function decideApprovals(context: Context, accepted: Accepted, answer: Answer): Promise<Decided> {
  const { channel } = accepted
  const approved = ['approve', 'yes'].includes(answer.verb)
  const platform = await platformOf(context, channel.platform)
  const asked = await approvalsFor(context, accepted, answer)
  if (typeof asked === 'string') return { markdown: asked }
  const pending = asked.filter(isPending)
  if (pending.length === 0) return asked.length === 0 ? null : { markdown: alreadyAnswered }
  if (pending.length > 1 && approved && !mayAnswerAll(pending)) return { markdown: 'Answer these one by one.' }
  const above = await shownInParts(context, channel.id, pending[0]?.run_ref ?? '')
  if (approved && !pending.every((approval) => isReadable(approval, { platform, above })))
    return {
      markdown: `Its input is too long for this chat. ${elsewhere(await publicUrl(context, '/inbox'))}`,
    }
  const outcomes: string[] = []
  for (const approval of pending)
    outcomes.push(
      await resultOrRefusal(async () => {
        const decision = { approval_id: approval.id, approved, remember: false, dismissed: false }
        return outcomeOf(await answerApproval(context, approval.conversation_id, decision))
      }),
    )
  const [first] = pending
  const question = first && (await questionAbout(context, channel, first))
  if (!question) return { markdown: outcomes.join('\n') }
  const isEdited = platform.edit !== undefined && question.platform_message_id !== null
  if (isEdited && outcomes.every((outcome) => outcome !== alreadyAnswered)) return { markdown: '' }
  // One message at the end, about all that were asked together.
  const all = await approvalsOf(context, question)
  if (all.some(isPending)) return { markdown: '' }
  return { markdown: all.length > 1 ? all.map(outcomeOf).join('\n') : outcomes.join('\n') }
}

/** The approvals that an answer is about, or why it is about none. */
async function approvalsFor(
  context: Context,
  { channel, received }: Accepted,
  { name, count }: Answer,
): Promise<Approval[] | string> {
  if (name.toLowerCase() === 'all') {
    const { has } = await platformOf(context, channel.platform)
    // Where questions are edited, somebody could add to one while this was being written.
    const question = has.buttons ? null : await lastQuestion(context, laneOf(channel.id, received.message.peer))
    return question ? approvalsOf(context, question) : []
  }
  if (name.startsWith('out_')) {
    const question = await findOutbound(context, name)
    if (question?.channel_id !== channel.id) return []
    return (await approvalsOf(context, question)).slice(0, count)
  }
  const isMeant = (one: Approval) => one.id === name || approvalCode(one) === name.toUpperCase()
  const page = { limit: 200, offset: 0 }
  const { rows: approvals } = await listApprovals(context, { ...page, status: 'pending' })
  const matches = approvals.filter(isMeant)
  if (matches.length > 1) return 'More than one approval has this code; answer them in the web UI.'
  return matches.length === 1 ? matches : (await listApprovals(context, page)).rows.filter(isMeant)
}

async function questionAbout(context: Context, channel: StoredChannel, { id, run_ref }: Approval) {
  const rows = await outboundOfTurn(context, run_ref)
  return rows.findLast(({ approvals, channel_id }) => channel_id === channel.id && approvals.includes(id))
}

async function decidePairing(
  context: Context,
  channel: StoredChannel,
  { answer: { verb, name, role }, received }: { answer: Answer; received: string | null },
): Promise<Decided> {
  const pairing = await findOwnPairing(context, name)
  if (!pairing) return null
  const who = pairing.sender_name ?? pairing.sender_id
  const markdown = await resultOrRefusal(async () => {
    if (verb === 'deny') await denyPairing(context, pairing.id)
    else await approvePairing(context, pairing.id, role === '' ? 'guest' : 'owner')
    if (verb === 'deny') return `${who} is denied.`
    return `${who} may write to me ${role === '' ? 'as a guest' : 'as my owner'}.`
  })
  const pressed = received === null ? null : await findSent(context, channel.id, received)
  return { markdown, statements: pressed ? await queueEdit(context, channel, pressed, { buttons: [] }) : [] }
}

/** The result of `run`, or why it was refused. */
async function resultOrRefusal(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof GuardFailed) return alreadyAnswered
    if (thrown instanceof Fault) return `${thrown.message}.`
    throw thrown
  }
}
