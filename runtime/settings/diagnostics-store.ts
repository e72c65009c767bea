import type { Host } from '../host.ts'

/** Rows of each table. */
export async function countRows(
  { sql }: Pick<Host, 'sql'>,
  tables: readonly string[],
): Promise<Record<string, number>> {
  const counted = tables.map(async (table) => {
    const [row] = await sql.read<{ rows: number }>(`SELECT count(*) AS rows FROM "${table}"`)
    return [table, row?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counted))
}
