import type { Area, SealedColumn } from '../area.ts'
import type { Host } from '../host.ts'
import { maxStored } from './redaction.ts'

interface Row {
  key: string
  text: string
}

/** A sealed text; see `writeSealed`. */
const sealedText = /\bv1\.[\w-]+\.[\w-]+\.[\w-]+/g

/** Opens the stored credentials of all areas, so that the redaction of this process has them before they are used. */
export async function openSealed(host: Host): Promise<void> {
  const areas: readonly Area[] = host.areas
  await Promise.all(areas.flatMap(({ sealed = [] }) => sealed.map((column) => openColumn(host, column))))
}

async function openColumn(host: Host, { table, column, key = 'id', purpose }: SealedColumn): Promise<void> {
  const rows = await host.sql.read<Row>(
    `SELECT CAST(${key} AS TEXT) AS key, ${column} AS text FROM ${table}
      WHERE instr(${column}, 'v1.') > 0 LIMIT ${maxStored}`,
  )
  const opened = rows.flatMap((row) => {
    const use = typeof purpose === 'string' ? purpose : purpose(row.key)
    // A text that cannot be opened is reported where it is used.
    return Array.from(row.text.matchAll(sealedText), ([sealed]) => host.secrets.open(sealed, use).catch(() => null))
  })
  await Promise.all(opened)
}
