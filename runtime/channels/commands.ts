import { listApprovals } from '../chat/approval-store.ts'
import { answerApproval } from '../chat/approvals.ts'
import type { Approval } from '../chat/schema.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import type { WorkEnding } from '../work/kind.ts'
import { bindingsOf, type StoredChannel } from './channel-store.ts'
import { platformOf } from './connection.ts'
import { logEntry } from './log-store.ts'
import type { StoredInbound } from './message-store.ts'
import { approvePairing, denyPairing } from './pairing.ts'
import { findOwnPairing } from './pairing-store.ts'
import type { Button } from './platform.ts'
import { bestBinding, sessionKey } from './policy.ts'
import { approvalCode, elsewhere, escaped, isShownWhole } from './question.ts'
import { queueMessage } from './send.ts'
import { deleteSession } from './session-store.ts'
import { publicUrl } from './settings.ts'

export const pairingButtons = (id: string): Button[] => [
  { label: 'Allow as a guest', value: `pair ${id}`, style: 'primary' },
  { label: 'Deny', value: `deny ${id}`, style: 'danger' },
]

interface Said {
  received: StoredInbound
  from_owner: boolean
}

/** Runs the owner's command, given as a button or a short text; null if the message is for the agent. */
export async function command(
  context: Context,
  channel: StoredChannel,
  said: Said,
): Promise<WorkEnding | null> {
  const { message, sealed_reply } = said.received
  const text = (message.kind === 'button' ? (message.value ?? '') : message.text).trim()
  if (/^\/new$/i.test(text)) return endSession(context, channel, said)
  const [, verb = '', name = '', role = ''] =
    /^\/?(approve|yes|reject|no|pair|deny)[ :]{1,3}([0-9a-z_]{1,40})( as owner)?[.!]?$/i.exec(text) ?? []
  if (verb === '') return null
  if (!said.from_owner) {
    if (message.kind !== 'button') return null
    const detail = `${message.sender.name ?? message.sender.id} pressed a button that only the owner may use`
    return { statements: logEntry(context, channel.id, { direction: 'inbound', outcome: 'refused', detail }) }
  }
  const owner = asOwner(context, channel)
  const isPairing = ['pair', 'deny'].includes(verb.toLowerCase())
  const decided = isPairing
    ? await decidePairing(owner, { verb: verb.toLowerCase(), name, role })
    : await decideApproval(owner, channel, {
        approved: ['approve', 'yes'].includes(verb.toLowerCase()),
        name,
      })
  if (decided === null && message.kind !== 'button') return null
  const markdown = decided ?? 'This has already been answered.'
  return queueMessage(context, channel, { peer: message.peer, markdown, sealed_reply })
}

/** The context with the paired owner as the caller, since they make the decision, not the daemon. */
function asOwner(context: Context, { owner_id, name }: StoredChannel): Context {
  const { owner_id: _, ...caller } = context.caller
  return {
    ...context,
    caller: { ...caller, user_id: owner_id === '' ? null : owner_id, name: `channel ${name}` },
  }
}

/** A sentence that describes the outcome; null if there is no such approval. */
async function decideApproval(
  context: Context,
  channel: StoredChannel,
  { approved, name }: { approved: boolean; name: string },
): Promise<string | null> {
  const isMeant = (one: Approval) => one.id === name || approvalCode(one) === name.toUpperCase()
  const page = { limit: 200, offset: 0 }
  const { approvals } = await listApprovals(context, { ...page, status: 'pending' })
  const found = approvals.filter(isMeant)
  const [approval] = found
  if (!approval) {
    const latest = await listApprovals(context, page)
    return latest.approvals.some(isMeant) ? 'This has already been answered.' : null
  }
  if (found.length > 1) return 'More than one approval has this code; answer them in the web UI.'
  if (approved && !isShownWhole(approval, await platformOf(context, channel.platform)))
    return `Its input is too long for this chat. ${elsewhere(await publicUrl(context, '/approvals'))}`
  return resultOrRefusal(async () => {
    const answer = { approval_id: approval.id, approved, remember: false }
    await answerApproval(context, approval.conversation_id, answer)
    return `${approved ? 'Approved' : 'Rejected'}: ${escaped(approval.summary)}`
  })
}

async function decidePairing(
  context: Context,
  { verb, name, role }: { verb: string; name: string; role: string },
): Promise<string | null> {
  const pairing = await findOwnPairing(context, name)
  if (!pairing) return null
  const who = pairing.sender_name ?? pairing.sender_id
  return resultOrRefusal(async () => {
    if (verb === 'deny') await denyPairing(context, pairing.id)
    else await approvePairing(context, pairing.id, role === '' ? 'guest' : 'owner')
    if (verb === 'deny') return `${who} is denied.`
    return `${who} may write to me ${role === '' ? 'as a guest' : 'as my owner'}.`
  })
}

/** The result of `run`, or why it was refused. */
async function resultOrRefusal(run: () => Promise<string>): Promise<string> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof GuardFailed) return 'This has already been answered.'
    if (thrown instanceof Fault) return `${thrown.message}.`
    throw thrown
  }
}

/** Makes the chat's next message start a new conversation. */
async function endSession(
  context: Context,
  channel: StoredChannel,
  { received, from_owner }: Said,
): Promise<WorkEnding> {
  const binding = bestBinding(await bindingsOf(context, channel.id), received.message)
  const key = sessionKey(received.message, binding?.session_scope ?? 'per_peer', from_owner)
  const { peer } = received.message
  const message = {
    peer,
    markdown: 'Your next message will start a new conversation.',
    sealed_reply: received.sealed_reply,
  }
  const { statements } = await queueMessage(context, channel, message)
  return { statements: [deleteSession(channel, key), ...statements] }
}
