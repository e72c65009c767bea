import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import { hour, iso } from '../time.ts'
import type { WorkEnding } from '../work/kind.ts'
import { findChannel, type StoredChannel } from './channel-store.ts'
import { logEntry } from './log-store.ts'
import type { StoredInbound } from './message-store.ts'
import {
  countPending,
  deletePairing,
  findOwnPairing,
  findPairing,
  pendingAge,
  publicPairing,
  resolvePairing,
  type StoredPairing,
  savePairing,
} from './pairing-store.ts'
import type { Pairing, PeerRole } from './schema.ts'
import { queueMessage, queueReply } from './send.ts'

/** Minimum time between two codes for the same person. */
const codeEvery = 1 * hour
/** Pending requests per channel; further strangers get no code. */
const maxPending = 100

/** Omits letters and digits that look alike. */
const alphabet = 'ABCDEFGHJKMNPQRSTVWXYZ2345678923'
const codeLength = 8

function newCode({ secrets }: Pick<Context, 'secrets'>): string {
  const bytes = secrets.random(codeLength).match(/../g) ?? []
  return bytes.map((hex) => alphabet[Number.parseInt(hex, 16) % alphabet.length]).join('')
}

/** Sends an unknown sender a code, at most once an hour. No model is called. */
export async function offerPairing(
  context: Context,
  channel: StoredChannel,
  inbound: StoredInbound,
): Promise<WorkEnding> {
  const { sender, peer } = inbound.message
  const pending = await findPairing(context, channel.id, sender.id)
  const now = context.clock.now()
  const ignored = (detail: string): WorkEnding => ({
    statements: logEntry(context, channel.id, { direction: 'inbound', outcome: 'ignored', detail }),
  })
  const name = sender.name ?? sender.id
  if (pending && now - Date.parse(pending.code_sent_at) < codeEvery)
    return ignored(`${name} is not paired and was sent a code less than an hour ago`)
  if (!pending && (await countPending(context, channel.id, iso(now - pendingAge))) >= maxPending)
    return ignored(`${name} is not paired, and ${maxPending} requests are already pending`)
  const pairing: StoredPairing = {
    id: pending?.id ?? newId('pair', now),
    channel_id: channel.id,
    sender_id: sender.id,
    sender_name: sender.name,
    peer,
    status: 'pending',
    role: null,
    code: pending?.code ?? newCode(context),
    code_sent_at: iso(now),
    requested_at: pending?.requested_at ?? iso(now),
    resolved_at: null,
  }
  const markdown = `I don’t know you yet. Your pairing code is **${pairing.code}**. Give it to my owner, who can allow you to write to me.`
  const data = {
    channel_id: channel.id,
    pairing_id: pairing.id,
    sender_id: sender.id,
    sender_name: sender.name,
    code: pairing.code,
  }
  return {
    statements: [
      savePairing(pairing),
      ...(await queueReply(context, channel, inbound, markdown)),
      ...logEntry(context, channel.id, {
        direction: 'inbound',
        outcome: 'ignored',
        detail: `${name} is not paired; a code was sent`,
      }),
    ],
    events: pending ? [] : [event('channel.pairing.requested', data)],
  }
}

/** Statements and events that record a decision. */
async function decide(
  context: Context,
  pairing: StoredPairing,
  { status, role }: { status: 'approved' | 'denied'; role: PeerRole | null },
) {
  const at = iso(context.clock.now())
  const channel = await findChannel(context, pairing.channel_id)
  const welcome: Statement[] =
    channel?.enabled && status === 'approved'
      ? (
          await queueMessage(context, channel, {
            peer: pairing.peer,
            markdown: role === 'owner' ? 'You are paired as my owner.' : 'My owner has allowed you to write to me.',
          })
        ).statements
      : []
  return {
    pairing: { ...pairing, status, role, resolved_at: at },
    statements: [
      resolvePairing(pairing, { status, role, at }),
      ...welcome,
      auditStatement(context, { action: `channel.pairing.${status}`, target: pairing.id }),
    ],
    events: [event('channel.pairing.resolved', { channel_id: pairing.channel_id, pairing_id: pairing.id, status })],
  }
}

const requirePairing = required('pairing', findOwnPairing)

/** Allows a sender to write, as the owner or as a guest. Also changes the role of an approved sender. */
export async function approvePairing(context: Context, idOrCode: string, role: PeerRole): Promise<Pairing> {
  const pairing = await requirePairing(context, idOrCode)
  if (pairing.status === 'approved' && pairing.role === role) throw conflict('This pairing is already approved')
  return store(context, await decide(context, pairing, { status: 'approved', role }))
}

export async function denyPairing(context: Context, idOrCode: string): Promise<Pairing> {
  const pairing = await requirePairing(context, idOrCode)
  if (pairing.status === 'denied') throw conflict('This pairing is already denied')
  return store(context, await decide(context, pairing, { status: 'denied', role: null }))
}

async function store(context: Context, decided: Awaited<ReturnType<typeof decide>>): Promise<Pairing> {
  const answer = publicPairing(decided.pairing)
  await context.commit(decided.statements, decided.events, { answer })
  return answer
}

/** Deletes a pairing, so that the sender is unknown again. */
export async function removePairing(context: Context, id: string): Promise<void> {
  const pairing = await requirePairing(context, id)
  await context.commit([
    deletePairing(pairing.id),
    auditStatement(context, { action: 'channel.pairing.removed', target: pairing.id }),
  ])
}
