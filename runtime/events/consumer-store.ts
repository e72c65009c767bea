import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

const consumers = new Table<{ name: string; cursor: number }>('event_consumers')

/** The last event that a consumer has processed; 0 if there is none. */
export const storedCursor = async (host: Sql, name: string): Promise<number> =>
  (await consumers.find(host, { name }))?.cursor ?? 0

/** Advances a cursor, unless another process has advanced it. */
export const moveCursor = (name: string, from: number, to: number): Statement[] => [
  consumers.insert({ name, cursor: 0 }, 'ON CONFLICT DO NOTHING'),
  consumers.update({ cursor: to }, { name, cursor: from }, 'Another process has processed these events'),
]
