import { areas } from '../../handlers/index.ts'
import type { Area } from '../../runtime/area.ts'
import type { Sources } from './imports.ts'

/** Tables of the centre, by the folder below `runtime/` that owns them. */
const central = {
  work: ['work'],
  events: ['events', 'event_consumers'],
  http: ['idempotency'],
  migrations: ['schema_migrations'],
  ledger: ['model_calls', 'model_usage', 'model_requests', 'budgets'],
  sections: ['settings', 'user_settings', 'settings_changes'],
}

const list: readonly Area[] = areas

/** The folder below `runtime/` that owns each table. */
export const owners: ReadonlyMap<string, string> = new Map([
  ...list.flatMap(({ name, tables = [] }) => tables.map((table) => [table, name] as const)),
  ...Object.entries(central).flatMap(([folder, tables]) => tables.map((table) => [table, folder] as const)),
])

const mention = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(?:OR\s+\w+\s+)?([a-z_]+)\b/g
/** The table of a `Table`. */
const mapped = /\bnew Table(?:<[^(]*>)?\(\s*'([a-z_]+)'/g

/** Where SQL names a table of another area. */
export function foreignTables(sources: Sources): string[] {
  return sqlOf(sources).flatMap(({ file, table }) => {
    const owner = owners.get(table)
    const own = file.startsWith('runtime/migrations/') || file.startsWith(`runtime/${owner}/`)
    return owner === undefined || own ? [] : [`${file} names ${table}, which belongs to runtime/${owner}`]
  })
}

/** Where SQL stands outside the stores of an area. */
export function sqlOutsideStores(sources: Sources): string[] {
  const store = /(^|[-/])(store|select|commit|idempotency|migrate)\.ts$|^runtime\/migrations\//
  const found = sqlOf(sources).filter(({ file, table }) => owners.has(table) && !store.test(file))
  return [...new Set(found.map(({ file }) => `${file}: SQL belongs in a store`))]
}

function sqlOf(sources: Sources): { file: string; table: string }[] {
  return [...sources]
    .filter(([file]) => /^(runtime|handlers|adapters)\//.test(file))
    .flatMap(([file, source]) => {
      const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      const texts = code.match(/`[^`]*`|'[^'\n]*'|"[^"\n]*"/g) ?? []
      const mentions = [...texts.flatMap((text) => [...text.matchAll(mention)]), ...code.matchAll(mapped)]
      return mentions.map(([, table = '']) => ({ file, table }))
    })
}
