import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredChannel } from './channel-store.ts'
import type { Peer } from './platform.ts'

type Sql = Pick<Host, 'sql'>

export interface Session {
  channel_id: string
  key: string
  conversation_id: string
  /** Where the last message came from. */
  peer: Peer
  /** Only the paired owner writes in this conversation. */
  is_owner: boolean
  updated_at: string
}

type SessionRow = Omit<Session, 'peer' | 'is_owner'> & { peer: string; is_owner: number }

const toSession = (row: SessionRow): Session => ({
  ...row,
  peer: JSON.parse(row.peer) as Peer,
  is_owner: row.is_owner === 1,
})

export const saveSession = (session: Session): Statement => ({
  sql: `INSERT INTO channel_sessions (channel_id, key, conversation_id, peer, is_owner, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel_id, key) DO UPDATE SET conversation_id = excluded.conversation_id, peer = excluded.peer,
      is_owner = excluded.is_owner, updated_at = excluded.updated_at`,
  args: [
    ...[session.channel_id, session.key, session.conversation_id, JSON.stringify(session.peer)],
    ...[Number(session.is_owner), session.updated_at],
  ],
})

/** Makes the next message of this key start a new conversation. All channels of an owner share the key `main`. */
export const deleteSession = (
  { id, owner_id }: Pick<StoredChannel, 'id' | 'owner_id'>,
  key: string,
): Statement => ({
  sql: `DELETE FROM channel_sessions WHERE key = ? AND (channel_id = ? OR (key = 'main' AND
    channel_id IN (SELECT id FROM channels WHERE owner_id = ?)))`,
  args: [key, id, owner_id],
})

export async function findSession({ sql }: Sql, channel: string, key: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    'SELECT * FROM channel_sessions WHERE channel_id = ? AND key = ?',
    [channel, key],
  )
  return row ? toSession(row) : null
}

/** The session with this key on any of an owner's channels. */
export async function findSessionOf({ sql }: Sql, owner: string, key: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    `SELECT * FROM channel_sessions WHERE key = ? AND channel_id IN (SELECT id FROM channels WHERE owner_id = ?)
      ORDER BY updated_at DESC LIMIT 1`,
    [key, owner],
  )
  return row ? toSession(row) : null
}

/** The session that last wrote to a conversation. */
export async function sessionOf({ sql }: Sql, conversation: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    'SELECT * FROM channel_sessions WHERE conversation_id = ? ORDER BY updated_at DESC LIMIT 1',
    [conversation],
  )
  return row ? toSession(row) : null
}

/** The chat with this id, if the channel has received messages from it. */
export async function findPeer({ sql }: Sql, channel: string, id: string): Promise<Peer | null> {
  const [row] = await sql.read<{ peer: string }>(
    `SELECT peer FROM channel_sessions WHERE channel_id = ? AND json_extract(peer, '$.id') = ? ORDER BY updated_at DESC LIMIT 1`,
    [channel, id],
  )
  return row ? (JSON.parse(row.peer) as Peer) : null
}
