import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type FaultIssue, invalid, notFound } from '../../fault.ts'
import { checkBody } from '../../http/validate.ts'
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
  needs?: Need[]
  /** Package and arguments; `npx` or `uvx` downloads it at the first connection. */
  npm?: string[]
  python?: string[]
  url?: string
}

function toEntry({ npm, python, url, needs = [], ...about }: Listed): CatalogEntry {
  const command = npm ? 'npx' : python ? 'uvx' : null
  const args = npm ? ['-y', ...npm] : (python ?? [])
  const transport = command ? 'stdio' : 'http'
  const programs = command ? [command] : []
  return { ...about, transport, command, args, url: url ?? null, programs, needs }
}

const need = (kind: Need['kind'], name: string, own: Partial<Need> & { description: string }): Need => ({
  kind,
  name,
  required: true,
  secret: false,
  example: null,
  ...own,
})
const secretVariable = (name: string, description: string, required = true) =>
  need('env', name, { description, required, secret: true })
const token = (description: string, required = true) =>
  need('header', 'Authorization', { description, required, secret: true })
const argument = (name: string, description: string, example: string) =>
  need('argument', name, { description, example })

const reference = 'https://github.com/modelcontextprotocol/servers/tree/main/src'
const mcpProject = 'The Model Context Protocol project'

const listed: readonly Listed[] = [
  {
    id: 'filesystem',
    title: 'Folder on this machine',
    description: 'Reads, writes, moves and searches files below one folder.',
    publisher: mcpProject,
    homepage: `${reference}/filesystem`,
    npm: ['@modelcontextprotocol/server-filesystem', '{folder}'],
    needs: [argument('folder', 'The folder, as an absolute path', '/home/ada/Documents')],
  },
  {
    id: 'knowledge-graph',
    title: 'Knowledge graph',
    description: 'Stores people, things and their relations in a graph.',
    publisher: mcpProject,
    homepage: `${reference}/memory`,
    npm: ['@modelcontextprotocol/server-memory'],
  },
  {
    id: 'sequential-thinking',
    title: 'Sequential thinking',
    description: 'A scratchpad that makes a model reason in numbered, revisable steps.',
    publisher: mcpProject,
    homepage: `${reference}/sequentialthinking`,
    npm: ['@modelcontextprotocol/server-sequential-thinking'],
  },
  {
    id: 'git',
    title: 'Git repository',
    description: 'Status, history, differences, branches and commits of one repository.',
    publisher: mcpProject,
    homepage: `${reference}/git`,
    python: ['mcp-server-git', '--repository', '{repository}'],
    needs: [argument('repository', 'The repository, as an absolute path', '/home/ada/project')],
  },
  {
    id: 'playwright',
    title: 'Playwright browser',
    description: 'Opens pages in its own browser and operates them through the accessibility tree.',
    publisher: 'Microsoft',
    homepage: 'https://github.com/microsoft/playwright-mcp',
    npm: ['@playwright/mcp', '--headless', '--isolated'],
  },
  {
    id: 'chrome-devtools',
    title: 'Chrome DevTools',
    description: 'Inspects pages with Chrome: console, network, performance traces.',
    publisher: 'Google',
    homepage: 'https://github.com/ChromeDevTools/chrome-devtools-mcp',
    npm: ['chrome-devtools-mcp', '--headless', '--isolated'],
  },
  {
    id: 'context7',
    title: 'Context7',
    description: 'Current documentation and examples of programming libraries.',
    publisher: 'Upstash',
    homepage: 'https://github.com/upstash/context7',
    npm: ['@upstash/context7-mcp'],
    needs: [secretVariable('CONTEXT7_API_KEY', 'An API key of context7.com, for more requests per hour', false)],
  },
  {
    id: 'notion',
    title: 'Notion',
    description: 'Searches, reads and writes pages and databases of a Notion workspace.',
    publisher: 'Notion',
    homepage: 'https://github.com/makenotion/notion-mcp-server',
    npm: ['@notionhq/notion-mcp-server'],
    needs: [secretVariable('NOTION_TOKEN', 'The secret of an internal integration with access to the pages')],
  },
  {
    id: 'brave-search',
    title: 'Brave Search',
    description: 'Searches the web, news, images and places.',
    publisher: 'Brave',
    homepage: 'https://github.com/brave/brave-search-mcp-server',
    npm: ['@brave/brave-search-mcp-server'],
    needs: [secretVariable('BRAVE_API_KEY', 'An API key of Brave Search')],
  },
  {
    id: 'tavily',
    title: 'Tavily',
    description: 'Searches the web and extracts the text of pages for models.',
    publisher: 'Tavily',
    homepage: 'https://github.com/tavily-ai/tavily-mcp',
    npm: ['tavily-mcp'],
    needs: [secretVariable('TAVILY_API_KEY', 'An API key of tavily.com')],
  },
  {
    id: 'firecrawl',
    title: 'Firecrawl',
    description: 'Reads pages that need JavaScript, and crawls whole sites.',
    publisher: 'Firecrawl',
    homepage: 'https://github.com/firecrawl/firecrawl-mcp-server',
    npm: ['firecrawl-mcp'],
    needs: [secretVariable('FIRECRAWL_API_KEY', 'An API key of firecrawl.dev')],
  },
  {
    id: 'mongodb',
    title: 'MongoDB (read-only)',
    description: 'Schemas, queries and statistics of a MongoDB database.',
    publisher: 'MongoDB',
    homepage: 'https://github.com/mongodb-js/mongodb-mcp-server',
    npm: ['mongodb-mcp-server', '--readOnly'],
    needs: [secretVariable('MDB_MCP_CONNECTION_STRING', 'The connection string, with its password')],
  },
  {
    id: 'everything',
    title: 'Example server',
    description: 'Uses every feature of the protocol; for testing a connection.',
    publisher: mcpProject,
    homepage: `${reference}/everything`,
    npm: ['@modelcontextprotocol/server-everything'],
  },
  {
    id: 'home-assistant',
    title: 'Home Assistant',
    description: 'Lights, heating, sensors and anything else Home Assistant exposes to assistants.',
    publisher: 'Home Assistant',
    homepage: 'https://www.home-assistant.io/integrations/mcp_server/',
    url: '{url}',
    needs: [
      need('url', 'url', {
        description: 'The address of Home Assistant',
        example: 'http://homeassistant.local:8123/api/mcp',
      }),
      token('A long-lived access token of a Home Assistant user'),
    ],
  },
  {
    id: 'github',
    title: 'GitHub',
    description: 'Repositories, issues, pull requests, workflows and code search.',
    publisher: 'GitHub',
    homepage: 'https://github.com/github/github-mcp-server',
    url: 'https://api.githubcopilot.com/mcp/',
    needs: [token('A personal access token with the permissions that the agents should have')],
  },
  {
    id: 'linear',
    title: 'Linear',
    description: 'Issues, projects and comments of a Linear workspace.',
    publisher: 'Linear',
    homepage: 'https://linear.app/docs/mcp',
    url: 'https://mcp.linear.app/mcp',
    needs: [token('A personal API key of Linear')],
  },
  {
    id: 'stripe',
    title: 'Stripe',
    description: 'Customers, invoices, payments and the documentation of Stripe.',
    publisher: 'Stripe',
    homepage: 'https://docs.stripe.com/mcp',
    url: 'https://mcp.stripe.com',
    needs: [token('A restricted API key with as few permissions as possible')],
  },
  {
    id: 'hugging-face',
    title: 'Hugging Face',
    description: 'Models, data sets, papers and Spaces of the Hugging Face hub.',
    publisher: 'Hugging Face',
    homepage: 'https://huggingface.co/settings/mcp',
    url: 'https://huggingface.co/mcp',
    needs: [token('A read token, for private and gated repositories', false)],
  },
  {
    id: 'deepwiki',
    title: 'DeepWiki',
    description: 'Questions about public GitHub repositories, answered from generated documentation.',
    publisher: 'Cognition',
    homepage: 'https://docs.devin.ai/work-with-devin/deepwiki-mcp',
    url: 'https://mcp.deepwiki.com/mcp',
  },
]

export const catalog: readonly CatalogEntry[] = listed.map(toEntry)
