import { z } from 'zod'
import type { Context } from '../context.ts'
import { forbidden } from '../fault.ts'
import type { Condition } from '../ports/sql.ts'
import { reference } from '../references.ts'
import type { Reader } from '../table.ts'
import { everyUser, owned, ownerOf, visibleOwner } from './owner.ts'

/** `everyone`, or the ids of users. */
export const SharedWith = z.array(reference('user', 64).min(1)).max(200)

interface Shareable {
  owner_id: string
  shared_with: string[]
}

/** The rows of a table with `owner_id` and `shared_with` that the caller may read. */
export async function visibleRows(context: Reader, table: string): Promise<Condition> {
  const own = owned(context)
  const shared = await sharedIds(context, table)
  return shared ? { sql: `(${own.sql} OR id IN (${shared.sql}))`, args: [...own.args, ...shared.args] } : own
}

/**
 * Selects the ids of the shared rows that the caller may read; null if there are none. Most installations share none, and then the
 * index of owners is enough.
 */
export async function sharedIds(context: Reader, table: string): Promise<Condition | null> {
  const owner = visibleOwner(context)
  const shared = `SELECT id FROM ${table} WHERE shared_with <> '[]'`
  if (owner === undefined || (await context.sql.read(`${shared} LIMIT 1`)).length === 0) return null
  const withCaller = `EXISTS (SELECT 1 FROM json_each(shared_with) WHERE value IN (?, '${everyUser}'))`
  return { sql: `${shared} AND (owner_id = ? OR ${withCaller})`, args: [owner, owner] }
}

/** Whether a row that the caller may read belongs to somebody else. */
export const isShared = (context: Pick<Context, 'caller'>, { owner_id }: Pick<Shareable, 'owner_id'>): boolean =>
  ![owner_id, undefined].includes(visibleOwner(context))

/** Throws a 403 unless the row, which the caller may read, belongs to them. */
export function requireOwner<Row extends Pick<Shareable, 'owner_id'>>(
  context: Pick<Context, 'caller'>,
  what: string,
  row: Row,
): Row {
  if (isShared(context, row)) throw forbidden(`Only the owner of the ${what} may do this`)
  return row
}

/** The named users who can read a row, without the caller. */
export const otherReaders = (context: Pick<Context, 'caller'>, { owner_id, shared_with }: Shareable): string[] =>
  [owner_id, ...shared_with].filter((user) => user !== ownerOf(context) && user !== everyUser)

/** The given readers of a row, each once and without its owner. */
export const readersOf = ({ owner_id }: Pick<Shareable, 'owner_id'>, users: readonly string[]): string[] =>
  [...new Set(users)].filter((user) => user !== owner_id)
