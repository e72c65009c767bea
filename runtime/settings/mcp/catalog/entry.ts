import { z } from 'zod'
import { ServerName, Transport } from '../schema.ts'

/** Something that a person has to say before a server can be used. */
export const Need = z.object({
  /** Where it goes: a variable, a header, or a `{name}` in the arguments or the URL. */
  kind: z.enum(['env', 'header', 'argument', 'url']),
  name: z.string(),
  description: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
  example: z.string().nullable(),
})
export type Need = z.infer<typeof Need>

/** A well-known server. It is not looked after here: who installs it trusts whoever publishes it. */
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

/** What goes into a header is often more than the secret itself. */
export const headerValue = (name: string, value: string): string =>
  name.toLowerCase() === 'authorization' && !/^\w+ /.test(value) ? `Bearer ${value}` : value

export const Installation = z.strictObject({
  /** Default: the id of the entry. */
  name: ServerName.optional(),
  /** Values by the names of the entry's needs. */
  values: z.record(z.string().max(200), z.string().max(16_384)).default({}),
})
export type Installation = z.output<typeof Installation>

type Said = Pick<CatalogEntry, 'id' | 'title' | 'description' | 'publisher' | 'homepage'>

/** A package of npm, fetched by its runner when it is first connected. */
export const npmServer = (
  said: Said,
  [name, ...args]: [string, ...string[]],
  needs: Need[] = [],
): CatalogEntry => ({
  ...said,
  transport: 'stdio',
  command: 'npx',
  args: ['-y', name, ...args],
  url: null,
  programs: ['npx'],
  needs,
})

/** A package of PyPI, fetched by its runner when it is first connected. */
export const pythonServer = (said: Said, args: [string, ...string[]], needs: Need[] = []): CatalogEntry => ({
  ...said,
  transport: 'stdio',
  command: 'uvx',
  args,
  url: null,
  programs: ['uvx'],
  needs,
})

export const remoteServer = (said: Said, url: string, needs: Need[] = []): CatalogEntry => ({
  ...said,
  transport: 'http',
  command: null,
  args: [],
  url,
  programs: [],
  needs,
})

const need = (kind: Need['kind'], name: string, own: Partial<Need> & { description: string }): Need => ({
  kind,
  name,
  required: true,
  secret: false,
  example: null,
  ...own,
})

export const secretVariable = (name: string, description: string, required = true): Need =>
  need('env', name, { description, required, secret: true })

export const token = (description: string, required = true): Need =>
  need('header', 'Authorization', { description, required, secret: true })

export const argument = (name: string, description: string, example: string): Need =>
  need('argument', name, { description, example })

export const address = (description: string, example: string): Need =>
  need('url', 'url', { description, example })
