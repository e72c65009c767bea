import type { Condition, Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import type { StoredChannel } from './channel-store.ts'
import type { Peer } from './platform.ts'

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

const sessions = new Table<Session>('channel_sessions', { booleans: ['is_owner'], json: ['peer'] })

export const saveSession = (session: Session): Statement => sessions.upsert(session, 'channel_id, key')

/** Makes the next message of this key start a new conversation. All channels of an owner share the key `main`. */
export const deleteSession = ({ id, owner_id }: Pick<StoredChannel, 'id' | 'owner_id'>, key: string): Statement => ({
  sql: `DELETE FROM channel_sessions WHERE key = ? AND (channel_id = ? OR (key = 'main' AND
    channel_id IN (SELECT id FROM channels WHERE owner_id = ?)))`,
  args: [key, id, owner_id],
})

export const findSession = (host: Sql, channel_id: string, key: string) => sessions.find(host, { channel_id, key })

const latest = async (host: Sql, condition: Condition): Promise<Session | null> =>
  (await sessions.list(host, 'updated_at DESC LIMIT 1', condition))[0] ?? null

/** The session with this key on any of an owner's channels. */
export const findSessionOf = (host: Sql, owner: string, key: string) =>
  latest(host, {
    sql: 'key = ? AND channel_id IN (SELECT id FROM channels WHERE owner_id = ?)',
    args: [key, owner],
  })

/** The session that last wrote to a conversation. */
export const sessionOf = (host: Sql, conversation: string) =>
  latest(host, { sql: 'conversation_id = ?', args: [conversation] })

/** The chat with this id, if the channel has received messages from it. */
export async function findPeer(host: Sql, channel: string, id: string): Promise<Peer | null> {
  const condition = { sql: `channel_id = ? AND json_extract(peer, '$.id') = ?`, args: [channel, id] }
  return (await latest(host, condition))?.peer ?? null
}
