import type { TurnSpender } from '../../ledger/spender.ts'
import type { Effect, Risk } from '../../tools/modes.ts'
import { type Decision, decide } from '../../tools/policy.ts'
import type { Tool } from '../../tools/tool.ts'
import { separateUntrusted } from '../../untrusted.ts'
import { findAskedBefore, findMessage, isTyped, textsOfPerson } from '../message-store.ts'
import type { Place } from '../permission.ts'
import { permissionFor, type StoredPermission } from '../permissions.ts'
import type { DelegatedBy } from '../schema.ts'
import type { Turn } from './state.ts'

export interface ValidCall {
  ok: true
  tool: Tool
  input: unknown
  summary: string
  effect: Effect
  risk: Risk
}

/**
 * Whether a call runs, asks a person or is refused: by its modes and risk, then because the person asked for exactly this,
 * then by a permission. `call_id` is absent for a call that code makes, which nothing but the modes allows.
 */
export async function decisionOn(
  turn: Turn,
  call: ValidCall,
  call_id?: string,
): Promise<Decision & { permission?: StoredPermission }> {
  const { context, conversation } = turn
  const { id: conversation_id, owner_id, mode, execution_mode, tainted } = conversation
  const risk = await riskHere(turn, call)
  const circumstances = { mode, execution_mode, effect: call.effect, risk, tainted }
  const decision = decide({ ...circumstances, permitted: false })
  if (decision.do !== 'ask' || call_id === undefined || tainted) return decision
  if (await isRequested(turn, call, call_id)) return { do: 'run' }
  const permitted = decide({ ...circumstances, permitted: true })
  if (permitted.do !== 'run') return decision
  const { tool, input } = call
  const question = { owner_id, conversation_id, place: placeOf(turn), tool: tool.name, input, risk }
  const isShared = conversation.shared_with.length > 0
  const permission = await permissionFor(context, { ...question, at: context.clock.now() }, isShared)
  return permission ? { ...permitted, permission } : decision
}

export const placeOf = ({ agent, conversation, work }: Turn): Place => ({
  agent_id: agent.id,
  project_id: conversation.project_id,
  loop_id: (work.payload.spender as TurnSpender | undefined)?.loop_id ?? null,
  tainted: conversation.tainted,
})

/** Longer messages may be pasted texts of somebody else. */
const maxRequest = 300

/**
 * Whether the message that this turn answers asks for exactly this call, as a person would on a page of the UI: they typed it in
 * a chat of their own, and it is the first such call of the answer.
 */
async function isRequested({ context, conversation, message }: Turn, call: ValidCall, call_id: string) {
  if (!call.tool.requested || conversation.kind !== 'user' || conversation.shared_with.length > 0) return false
  const first = message.parts.find((part) => part.type === 'tool_use' && part.tool === call.tool.name)
  if (first?.type !== 'tool_use' || first.id !== call_id) return false
  const asked = await findAskedBefore(context, message)
  if (!asked || !(await isTyped(context, asked.id))) return false
  const { own, foreign } = separateUntrusted(asked.content)
  return foreign.length === 0 && own.length <= maxRequest && call.tool.requested(call.input, own, context)
}

/**
 * The risk of a call in this conversation. Untrusted text may have asked for an address whose path or query
 * carries data away; an address that the person typed, to the letter, is the person's own wish. A helper works on
 * what the person typed in the conversation that called it, and a task on the description of its project.
 */
async function riskHere({ conversation, context, work }: Turn, call: ValidCall): Promise<Risk> {
  const url = conversation.tainted ? (call.tool.reaches?.(call.input) ?? null) : null
  if (url === null) return call.risk
  const delegating = (work.payload.delegated_by as DelegatedBy | undefined)?.message_id
  const caller = delegating === undefined ? null : await findMessage(context, delegating)
  const elsewhere = context.areas.map((area) => area.typed_texts?.(context, conversation) ?? [])
  const texts = [
    ...(await textsOfPerson(context, caller?.conversation_id ?? conversation.id)),
    ...(await Promise.all(elsewhere)).flat(),
  ]
  return texts.some((text) => namesAddress(text, url)) ? 'low' : call.risk
}

/** Whether a text contains an address, also without its scheme or with punctuation around it. */
function namesAddress(text: string, url: string): boolean {
  const address = plainAddress(url)
  const typed = text.split(/[\s<>"'`]+/).flatMap((word) => {
    const bare = word.replace(/^[([{]+/, '')
    return [bare, bare.replace(/(?<![)\]}.,;:!?])[)\]}.,;:!?]+$/, '')]
  })
  return address !== null && typed.some((word) => word.includes('.') && plainAddress(word) === address)
}

function plainAddress(text: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (!url) return null
  url.hash = ''
  return url.href
}
