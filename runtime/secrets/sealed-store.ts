import type { Area, SealedColumn } from '../area.ts'
import type { Host } from '../host.ts'
import { maxStored } from './redaction.ts'

interface Row {
  source: number
  key: string
  text: string
}

/** A sealed text; see `writeSealed`. */
const sealedText = /\bv1\.[\w-]+\.[\w-]+\.[\w-]+/g

/** Opens the stored credentials of all areas, so that the redaction of this process has them before they are used. */
export async function openSealed(host: Host): Promise<void> {
  const areas: readonly Area[] = host.areas
  const columns = areas.flatMap(({ sealed = [] }) => sealed)
  if (columns.length === 0) return
  const rows = await host.sql.read<Row>(`${columns.map(select).join(' UNION ALL ')} LIMIT ${maxStored}`)
  const opened = rows.flatMap(({ source, key, text }) => {
    const { purpose } = columns[source] as SealedColumn
    const use = typeof purpose === 'string' ? purpose : purpose(key)
    // A text that cannot be opened is reported where it is used.
    return Array.from(text.matchAll(sealedText), ([sealed]) =>
      host.secrets.open(sealed, use).catch(() => null),
    )
  })
  await Promise.all(opened)
}

const select = ({ table, column, key = 'id' }: SealedColumn, source: number): string =>
  `SELECT ${source} AS source, CAST(${key} AS TEXT) AS key, ${column} AS text FROM ${table} WHERE instr(${column}, 'v1.') > 0`
