import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Waiting } from '../inbox.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { day, iso } from '../time.ts'
import { ownChannels } from './channel-store.ts'
import type { Peer } from './platform.ts'
import type { Pairing, PeerRole } from './schema.ts'

export interface StoredPairing extends Pairing {
  peer: Peer
  code_sent_at: string
}

const pairings = new Table<StoredPairing>('channel_pairings', { json: ['peer'] })

export const publicPairing = ({ peer: _, code_sent_at: __, ...pairing }: StoredPairing): Pairing => pairing

/** Stores a pairing. One that is known keeps its code and its decision. */
export const savePairing = (pairing: StoredPairing): Statement =>
  pairings.insert(
    pairing,
    `ON CONFLICT (channel_id, sender_id) DO UPDATE SET sender_name = excluded.sender_name, peer = excluded.peer,
      code_sent_at = excluded.code_sent_at`,
  )

/** Guarded by the status that was read: the first of two concurrent decisions wins. */
export const resolvePairing = (
  pairing: StoredPairing,
  { status, role, at }: { status: 'approved' | 'denied'; role: PeerRole | null; at: string },
): Statement =>
  pairings.update(
    { status, role, resolved_at: at },
    { id: pairing.id, status: pairing.status, role: pairing.role },
    'This request has already been answered',
  )

export const prunePending = (before: string): Statement =>
  pairings.delete([{ status: 'pending' }, sql`code_sent_at < ${before}`])

export const deletePairing = (id: string): Statement => pairings.delete({ id }, 'The pairing was already removed')

export const findPairing = (host: Sql, channel_id: string, sender_id: string) =>
  pairings.find(host, { channel_id, sender_id })

/** Unanswered requests expire after this time, so that strangers cannot exhaust the limit. */
export const pendingAge = 1 * day

/** Number of a channel's pending requests whose code was sent after `since` (ISO 8601). */
export const countPending = (host: Sql, channel_id: string, since: string): Promise<number> =>
  pairings.count(host, { channel_id, status: 'pending' }, sql`code_sent_at >= ${since}`)

export const findOwnPairing = (context: Reader, idOrCode: string) =>
  pairings.find(
    context,
    ownChannels(context),
    sql`(id = ${idOrCode} OR (code = ${idOrCode.toUpperCase()} AND status = 'pending'))`,
  )

export const listPairings = (
  context: Reader,
  { channel_id, status, ...page }: Page & { channel_id?: string | undefined; status?: string | undefined },
) => pairings.page(context, page, 'requested_at DESC, id DESC', ownChannels(context), { channel_id, status })

const unanswered = new Table<Omit<StoredPairing, 'peer'> & { channel: string }, 'code_sent_at'>('channel_pairings', {
  select: `id, channel_id, sender_id, sender_name, requested_at,
    (SELECT name FROM channels WHERE channels.id = channel_id) AS channel`,
})

/** The people who ask to be paired with the caller's channels, until their request expires. */
export async function waitingPairings(context: Reader & Pick<Host, 'clock'>): Promise<Waiting[]> {
  const fresh = sql`code_sent_at >= ${iso(context.clock.now() - pendingAge)}`
  const rows = await unanswered.list(context, 'id', { status: 'pending' }, ownChannels(context), fresh)
  return rows.map(({ id, channel_id, sender_id, sender_name, requested_at, channel }) => ({
    kind: 'pairing',
    id,
    title: sender_name ?? sender_id,
    detail: `Asks to write to ${channel}`,
    asked_at: requested_at,
    href: `/channels/${channel_id}`,
  }))
}

/** The people paired as the owner of a channel, oldest pairing first. */
export const ownersOn = (host: Sql, channel_id: string) =>
  pairings.list(host, 'resolved_at, id', { channel_id, status: 'approved', role: 'owner' })
