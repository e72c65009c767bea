import type { Host } from '../host.ts'
import { sumOf } from '../numbers.ts'
import { processState } from '../process-state.ts'
import { type FileSize, type Pages, readFileSize, readTables } from './size-store.ts'

const measured = processState(() => ({ file: { bytes: 0, free_bytes: 0 }, tables: none }))
const none: Promise<Pages['tables']> = Promise.resolve([])

/** The pages of the database; null if this host cannot measure them. The tables are measured again after a change of 1 %. */
export async function measurePages(host: Host): Promise<Pages | null> {
  const last = measured(host)
  try {
    const file = await readFileSize(host.sql)
    if (hasChanged(last.file, file)) Object.assign(last, { file, tables: readTables(host.sql) })
    return { ...last.file, tables: await last.tables }
  } catch {
    last.file = { bytes: 0, free_bytes: 0 }
    return null
  }
}

const hasChanged = (before: FileSize, now: FileSize): boolean =>
  Math.max(Math.abs(now.bytes - before.bytes), Math.abs(now.free_bytes - before.free_bytes)) > before.bytes / 100

/**
 * The space of each area with its indexes, the largest first; `core` has the tables that belong to no area, such as events.
 * The rest is the schema and the file's own administration.
 */
export function spaceByArea({ areas }: Pick<Host, 'areas'>, { bytes, free_bytes, tables }: Pages) {
  const content = tables.filter(({ name }) => !name.startsWith('sqlite_'))
  const owned = areas.map(({ name, tables: own = [] }) => ({
    area: name,
    bytes: spaceOf({ tables: content }, own),
  }))
  const sizes = [...owned, { area: 'core', bytes: totalBytes(content) - totalBytes(owned) }]
  const used = totalBytes(sizes) + free_bytes
  return {
    // The file may have grown while its tables were measured.
    bytes: Math.max(bytes, used),
    free_bytes,
    areas: sizes.filter((one) => one.bytes > 0).sort((a, b) => b.bytes - a.bytes),
    other_bytes: Math.max(0, bytes - used),
  }
}

export const totalBytes = (parts: readonly { bytes: number }[]) => sumOf(parts, ({ bytes }) => bytes)

/** The space of some tables. */
export const spaceOf = ({ tables }: Pick<Pages, 'tables'>, names: readonly string[]): number =>
  totalBytes(tables.filter(({ name }) => names.some((one) => isPartOf(one, name))))

/** Full-text search keeps the index `words` in the tables `words_data`, `words_idx` and so on. */
const isPartOf = (table: string, name: string) =>
  name === table || (name.startsWith(`${table}_`) && searchParts.has(name.slice(table.length + 1)))

const searchParts = new Set(['data', 'idx', 'content', 'docsize', 'config'])
