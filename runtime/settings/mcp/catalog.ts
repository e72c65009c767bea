import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type FaultIssue, invalid, notFound } from '../../fault.ts'
import { checkBody } from '../../http/validate.ts'
import listed from './catalog.json' with { type: 'json' }
import { NewServer, ServerName, type ToolServer, Transport } from './schema.ts'
import { addToolServer } from './servers.ts'

/** A value that a person must enter before a server can be used. */
const Need = z.object({
  /** Where it goes: a variable, a header, or a `{name}` in the arguments or the URL. */
  kind: z.enum(['env', 'header', 'argument', 'url']),
  name: z.string(),
  description: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
  example: z.string().nullable(),
})
export type Need = z.infer<typeof Need>

/** A well-known server. It is not part of hearthd: installing it means trusting its publisher. */
export const CatalogEntry = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  publisher: z.string(),
  homepage: z.string(),
  transport: Transport,
  command: z.string().nullable(),
  args: z.array(z.string()),
  url: z.string().nullable(),
  /** Programs that must be installed, such as `npx`. */
  programs: z.array(z.string()),
  needs: z.array(Need),
})
export type CatalogEntry = z.infer<typeof CatalogEntry>

export const Installation = z.strictObject({
  /** Default: the id of the entry. */
  name: ServerName.optional(),
  /** The required values, by name. */
  values: z.record(z.string().max(200), z.string().max(16_384)).default({}),
})
export type Installation = z.output<typeof Installation>

/** Adds a server from the catalog. Like any other, it is disabled until it is connected. */
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
  const names = new Set(needs.map(({ name }) => name))
  const missing = needs.filter(({ name, required }) => required && !values[name]?.trim())
  const issues: FaultIssue[] = [
    ...missing.map(({ name, description }) => ({
      path: `values.${name}`,
      message: `is required: ${description}`,
    })),
    ...Object.keys(values)
      .filter((name) => !names.has(name))
      .map((name) => ({ path: `values.${name}`, message: 'is not used by this entry' })),
  ]
  if (issues.length > 0) throw invalid(issues)
}

function filled(entry: CatalogEntry, values: Record<string, string>) {
  const filled = (kind: Need['kind']) =>
    entry.needs.filter((need) => need.kind === kind && values[need.name]?.trim()).map(({ name }) => name)
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
  return {
    transport: entry.transport,
    command: entry.command,
    args: entry.args.map(fill),
    url: entry.url === null ? null : fill(entry.url),
    env: Object.fromEntries(filled('env').map((name) => [name, values[name]])),
    headers: Object.fromEntries(filled('header').map((name) => [name, headerValue(name, values[name] ?? '')])),
  }
}

/** A bearer token may be entered without its scheme. */
const headerValue = (name: string, value: string): string =>
  name.toLowerCase() === 'authorization' && !/^\w+ /.test(value) ? `Bearer ${value}` : value

type Listed = Pick<CatalogEntry, 'id' | 'title' | 'description' | 'publisher' | 'homepage'> & {
  /** Required and not secret, unless they say otherwise. */
  needs?: (Pick<Need, 'kind' | 'name' | 'description'> & Partial<Need>)[]
  /** Package and arguments; `npx` or `uvx` downloads it at the first connection. */
  npm?: string[]
  python?: string[]
  url?: string
}

function toEntry({ npm, python, url, needs = [], ...about }: Listed): CatalogEntry {
  const command = npm ? 'npx' : python ? 'uvx' : null
  return {
    ...about,
    transport: command ? 'stdio' : 'http',
    command,
    args: npm ? ['-y', ...npm] : (python ?? []),
    url: url ?? null,
    programs: command ? [command] : [],
    needs: needs.map((need) => ({ required: true, secret: false, example: null, ...need })),
  }
}

export const catalog: readonly CatalogEntry[] = (listed as Listed[]).map(toEntry)
