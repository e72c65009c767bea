import type { InboundText } from './message-store.ts'
import type { Binding, ChannelSettings, Pairing, SessionScope } from './schema.ts'

export type Verdict =
  /** `is_stranger`: only the policy `open` lets the sender in. */
  | { do: 'accept'; from_owner: boolean; is_stranger: boolean }
  /** The sender gets a pairing code. */
  | { do: 'pair' }
  | { do: 'ignore'; reason: string }

const ignore = (reason: string): Verdict => ({ do: 'ignore', reason })

interface Case {
  settings: ChannelSettings
  message: Pick<InboundText, 'peer' | 'sender' | 'is_mention'>
  /** The owner's decision about the sender. */
  pairing: Pick<Pairing, 'status' | 'role'> | null
  /** A binding names the group of the message. */
  is_bound: boolean
}

/** Whether the policy may accept a message. The others in a busy group are neither stored nor logged. Pure. */
export const isForBot = (
  { group_policy }: Pick<ChannelSettings, 'group_policy'>,
  { peer, is_mention }: Pick<InboundText, 'peer' | 'is_mention'>,
): boolean => peer.kind === 'dm' || is_mention || group_policy === 'allowlist'

/** Whether a message reaches the agent. Pure. */
export function judge({ settings, message, pairing, is_bound }: Case): Verdict {
  const { peer, sender } = message
  const isApproved = pairing?.status === 'approved'
  const from_owner = isApproved && pairing.role === 'owner'
  const accept: Verdict = { do: 'accept', from_owner, is_stranger: false }
  if (pairing?.status === 'denied') return ignore('the owner has denied this sender')
  const isListed = settings.allow_from.includes(sender.id)
  if (peer.kind === 'dm') {
    if (settings.dm_policy === 'disabled') return ignore('direct messages are disabled')
    if (isApproved || isListed) return accept
    if (settings.dm_policy === 'open') return { ...accept, is_stranger: true }
    return settings.dm_policy === 'pairing' ? { do: 'pair' } : ignore('the sender is not on the allowlist')
  }
  if (settings.group_policy === 'disabled') return ignore('messages in groups are disabled')
  if (settings.group_policy === 'mention' && !message.is_mention) return ignore('the message does not mention the bot')
  // Anyone can add a bot to a group, so a mention alone grants no access.
  if (isApproved || isListed || is_bound || settings.allow_from.includes(peer.id)) return accept
  return ignore('neither the group nor the sender is allowed')
}

/** The most specific matching binding; ties go to the higher priority, then to the older one. Pure. */
export function bestBinding(bindings: readonly Binding[], { peer }: Pick<InboundText, 'peer'>): Binding | null {
  const values = { peer_kind: peer.kind, peer_id: peer.id, thread_id: peer.thread_id, team_id: peer.team_id }
  const matching = bindings.filter(({ match }) => fieldsOf(match).every((name) => match[name] === values[name]))
  const ranked = matching.toSorted(
    (left, right) =>
      weightOf(right) - weightOf(left) || right.priority - left.priority || left.id.localeCompare(right.id),
  )
  return ranked[0] ?? null
}

/** The fields of a match, most specific first. */
const fields = ['peer_kind', 'team_id', 'peer_id', 'thread_id'] as const

const fieldsOf = (match: Binding['match']) => fields.filter((name) => match[name] !== null)

/** A thread is more specific than a chat, a chat than a team, a team than a kind. */
const weightOf = ({ match }: Binding): number =>
  fieldsOf(match).reduce((sum, name) => sum + 2 ** fields.indexOf(name), 0)

/** The key of a message's conversation within its channel. Pure. */
export function sessionKey({ peer }: Pick<InboundText, 'peer'>, scope: SessionScope, from_owner: boolean): string {
  const own = `${peer.kind}:${peer.id}${peer.thread_id === null ? '' : `:${peer.thread_id}`}`
  if (scope === 'main') return from_owner && peer.kind === 'dm' ? 'main' : own
  if (scope === 'per_channel') return peer.kind === 'group' ? 'groups' : from_owner ? 'owner' : own
  return own
}
