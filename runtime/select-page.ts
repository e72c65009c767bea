import type { Host } from './host.ts'
import type { Page } from './http/page.ts'
import type { Value } from './ports/sql.ts'

interface PagedQuery {
  /** A `SELECT` without its order. */
  select: string
  args: readonly Value[]
  /** The terms of `ORDER BY`. */
  order: string
}

export async function selectPage<Row extends object>(
  { sql }: Pick<Host, 'sql'>,
  { select, args, order }: PagedQuery,
  { limit, offset }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    sql.read<Row>(`${select} ORDER BY ${order} LIMIT ? OFFSET ?`, [...args, limit, offset]),
    sql.read<{ total: number }>(`SELECT count(*) AS total FROM (${select})`, args),
  ])
  return { rows, total: count?.total ?? 0 }
}
