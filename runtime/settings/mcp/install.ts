import type { Context } from '../../context.ts'
import { type FaultIssue, invalid, notFound } from '../../fault.ts'
import { checkBody } from '../../http/validate.ts'
import { type CatalogEntry, headerValue, type Installation, type Need } from './catalog/entry.ts'
import { catalog } from './catalog/index.ts'
import { NewServer, type ToolServer } from './schema.ts'
import { addToolServer } from './servers.ts'

/** Adds a server of the catalog with what a person has given; like any other it is off until it is connected. */
export async function installServer(
  context: Context,
  entry_id: string,
  { name, values }: Installation,
): Promise<ToolServer> {
  const entry = catalog.find(({ id }) => id === entry_id)
  if (!entry) throw notFound(`The catalog entry ${entry_id}`)
  checkValues(entry, values)
  const server = checkBody(NewServer, { name: name ?? entry.id, ...filled(entry, values) }) as NewServer
  return addToolServer(context, server, entry.id)
}

function checkValues({ needs }: CatalogEntry, values: Record<string, string>): void {
  const known = new Set(needs.map(({ name }) => name))
  const missing = needs.filter(({ name, required }) => required && !values[name]?.trim())
  const issues: FaultIssue[] = [
    ...missing.map(({ name, description }) => ({
      path: `values.${name}`,
      message: `is needed: ${description}`,
    })),
    ...Object.keys(values)
      .filter((name) => !known.has(name))
      .map((name) => ({ path: `values.${name}`, message: 'is not known to this entry' })),
  ]
  if (issues.length > 0) throw invalid(issues)
}

function filled(entry: CatalogEntry, values: Record<string, string>) {
  const given = (kind: Need['kind']) =>
    entry.needs.filter((need) => need.kind === kind && values[need.name]?.trim()).map(({ name }) => name)
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  return {
    transport: entry.transport,
    command: entry.command,
    args: entry.args.map(fill),
    url: entry.url === null ? null : fill(entry.url),
    env: Object.fromEntries(given('env').map((name) => [name, values[name]])),
    headers: Object.fromEntries(given('header').map((name) => [name, headerValue(name, values[name] ?? '')])),
  }
}
