import type { Condition, Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
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
export const deleteSession = ({ id, owner_id }: Pick<StoredChannel, 'id' | 'owner_id'>, key: string): Statement =>
  sessions.delete(sql`key = ${key} AND (channel_id = ${id} OR (key = 'main' AND ${onChannelsOf(owner_id)}))`)

export const findSession = (host: Sql, channel_id: string, key: string) => sessions.find(host, { channel_id, key })

const onChannelsOf = (owner: string) => sql`channel_id IN (SELECT id FROM channels WHERE owner_id = ${owner})`

const latest = (host: Sql, ...conditions: (Condition | Partial<Session>)[]) =>
  sessions.first(host, 'updated_at DESC', ...conditions)

/** The session with this key on any of an owner's channels. */
export const findSessionOf = (host: Sql, owner: string, key: string) => latest(host, { key }, onChannelsOf(owner))

/** The session that last wrote to a conversation. */
export const sessionOf = (host: Sql, conversation_id: string) => latest(host, { conversation_id })

/** The chat with this id, if the channel has received messages from it. */
export const findPeer = async (host: Sql, channel_id: string, id: string): Promise<Peer | null> =>
  (await latest(host, { channel_id }, sql`json_extract(peer, '$.id') = ${id}`))?.peer ?? null
