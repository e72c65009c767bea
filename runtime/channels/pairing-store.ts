import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { day } from '../time.ts'
import { ownChannels } from './channel-store.ts'
import type { Peer } from './platform.ts'
import type { Pairing, PeerRole } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

export interface StoredPairing extends Pairing {
  peer: Peer
  code_sent_at: string
}

type PairingRow = Omit<StoredPairing, 'peer'> & { peer: string }

const toPairing = (row: PairingRow): StoredPairing => ({ ...row, peer: JSON.parse(row.peer) as Peer })

export const publicPairing = ({ peer: _, code_sent_at: __, ...pairing }: StoredPairing): Pairing => pairing

export const savePairing = (pairing: StoredPairing): Statement => ({
  sql: `INSERT INTO channel_pairings (id, channel_id, sender_id, sender_name, peer, status, role, code, code_sent_at, requested_at, resolved_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel_id, sender_id) DO UPDATE SET sender_name = excluded.sender_name, peer = excluded.peer,
      code_sent_at = excluded.code_sent_at`,
  args: [
    ...[pairing.id, pairing.channel_id, pairing.sender_id, pairing.sender_name, JSON.stringify(pairing.peer)],
    ...[pairing.status, pairing.role, pairing.code, pairing.code_sent_at, pairing.requested_at],
    pairing.resolved_at,
  ],
})

/** Guarded by the status that was read: the first of two concurrent decisions wins. */
export const resolvePairing = (
  pairing: StoredPairing,
  { status, role, at }: { status: 'approved' | 'denied'; role: PeerRole | null; at: string },
): Statement => ({
  sql: 'UPDATE channel_pairings SET status = ?, role = ?, resolved_at = ? WHERE id = ? AND status = ? AND role IS ?',
  args: [status, role, at, pairing.id, pairing.status, pairing.role],
  guard: 'This request has already been answered',
})

/** Deletes unanswered pairing requests. */
export const prunePending = (before: string): Statement => ({
  sql: `DELETE FROM channel_pairings WHERE status = 'pending' AND code_sent_at < ?`,
  args: [before],
})

export const deletePairing = (id: string): Statement => ({
  sql: 'DELETE FROM channel_pairings WHERE id = ?',
  args: [id],
  guard: 'The pairing was already removed',
})

export async function findPairing({ sql }: Sql, channel: string, sender: string) {
  const [row] = await sql.read<PairingRow>(
    'SELECT * FROM channel_pairings WHERE channel_id = ? AND sender_id = ?',
    [channel, sender],
  )
  return row ? toPairing(row) : null
}

/** Unanswered requests expire after this time, so that strangers cannot exhaust the limit. */
export const pendingAge = 1 * day

/** Number of a channel's pending requests whose code was sent after `since` (ISO 8601). */
export async function countPending({ sql }: Sql, channel: string, since: string): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM channel_pairings WHERE channel_id = ? AND status = 'pending' AND code_sent_at >= ?`,
    [channel, since],
  )
  return row?.count ?? 0
}

/** Finds a pairing by its id or, while it is pending, by its code. */
export async function findOwnPairing(context: Reader, idOrCode: string): Promise<StoredPairing | null> {
  const own = ownChannels(context)
  const [row] = await context.sql.read<PairingRow>(
    `SELECT * FROM channel_pairings WHERE (id = ? OR (code = ? AND status = 'pending')) AND ${own.sql}`,
    [idOrCode, idOrCode.toUpperCase(), ...own.args],
  )
  return row ? toPairing(row) : null
}

export async function listPairings(
  context: Reader,
  filter: {
    channel_id?: string | undefined
    status?: string | undefined
    limit: number
    offset: number
  },
) {
  const own = ownChannels(context)
  const select = `SELECT * FROM channel_pairings
    WHERE ${own.sql} AND (? IS NULL OR channel_id = ?) AND (? IS NULL OR status = ?)`
  const { channel_id = null, status = null, ...page } = filter
  const args = [...own.args, channel_id, channel_id, status, status]
  const query = { select, args, order: 'requested_at DESC, id DESC' }
  const { rows, total } = await selectPage<PairingRow>(context, query, page)
  return { pairings: rows.map(toPairing), total }
}

/** The people paired as the owner of a channel, oldest pairing first. */
export async function ownersOn({ sql }: Sql, channel: string): Promise<StoredPairing[]> {
  const rows = await sql.read<PairingRow>(
    `SELECT * FROM channel_pairings WHERE channel_id = ? AND status = 'approved' AND role = 'owner' ORDER BY resolved_at, id`,
    [channel],
  )
  return rows.map(toPairing)
}
