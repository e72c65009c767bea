import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

/** The conversation that an agent of a workflow continues in all runs with the same text. */
export interface Session {
  workflow_id: string
  node_id: string
  owner_id: string
  session: string
  conversation_id: string
}

const sessions = new Table<Session>('workflow_sessions')

export const findSession = (host: Sql, key: Omit<Session, 'conversation_id'>): Promise<Session | null> =>
  sessions.find(host, key)

/** Of two runs that begin a conversation at once, the later one is continued. */
export const saveSession = (session: Session): Statement =>
  sessions.upsert(session, 'workflow_id, node_id, owner_id, session')
