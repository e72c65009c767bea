import { argument, type CatalogEntry, npmServer, pythonServer, secretVariable } from './entry.ts'

const reference = 'https://github.com/modelcontextprotocol/servers/tree/main/src'
const steering = 'The Model Context Protocol project'

/** Servers that run as processes on this machine. */
export const localServers: readonly CatalogEntry[] = [
  npmServer(
    {
      id: 'filesystem',
      title: 'Folder on this machine',
      description: 'Reads, writes, moves and searches files below one folder.',
      publisher: steering,
      homepage: `${reference}/filesystem`,
    },
    ['@modelcontextprotocol/server-filesystem', '{folder}'],
    [argument('folder', 'The folder, as an absolute path', '/home/ada/Documents')],
  ),
  npmServer(
    {
      id: 'knowledge-graph',
      title: 'Knowledge graph',
      description: 'Keeps people, things and how they relate in a graph of its own.',
      publisher: steering,
      homepage: `${reference}/memory`,
    },
    ['@modelcontextprotocol/server-memory'],
  ),
  npmServer(
    {
      id: 'sequential-thinking',
      title: 'Sequential thinking',
      description: 'A scratchpad that makes a model reason in numbered, revisable steps.',
      publisher: steering,
      homepage: `${reference}/sequentialthinking`,
    },
    ['@modelcontextprotocol/server-sequential-thinking'],
  ),
  pythonServer(
    {
      id: 'git',
      title: 'Git repository',
      description: 'Status, history, differences, branches and commits of one repository.',
      publisher: steering,
      homepage: `${reference}/git`,
    },
    ['mcp-server-git', '--repository', '{repository}'],
    [argument('repository', 'The repository, as an absolute path', '/home/ada/project')],
  ),
  npmServer(
    {
      id: 'playwright',
      title: 'Playwright browser',
      description: 'Opens pages in a browser of its own and works them by their accessibility tree.',
      publisher: 'Microsoft',
      homepage: 'https://github.com/microsoft/playwright-mcp',
    },
    ['@playwright/mcp', '--headless', '--isolated'],
  ),
  npmServer(
    {
      id: 'chrome-devtools',
      title: 'Chrome DevTools',
      description: 'Looks into pages with Chrome: console, network, performance traces.',
      publisher: 'Google',
      homepage: 'https://github.com/ChromeDevTools/chrome-devtools-mcp',
    },
    ['chrome-devtools-mcp', '--headless', '--isolated'],
  ),
  npmServer(
    {
      id: 'context7',
      title: 'Context7',
      description: 'Current documentation and examples of programming libraries.',
      publisher: 'Upstash',
      homepage: 'https://github.com/upstash/context7',
    },
    ['@upstash/context7-mcp'],
    [secretVariable('CONTEXT7_API_KEY', 'A key of context7.com, for more requests an hour', false)],
  ),
  npmServer(
    {
      id: 'notion',
      title: 'Notion',
      description: 'Searches, reads and writes pages and databases of a Notion workspace.',
      publisher: 'Notion',
      homepage: 'https://github.com/makenotion/notion-mcp-server',
    },
    ['@notionhq/notion-mcp-server'],
    [secretVariable('NOTION_TOKEN', 'The secret of an internal integration that was given the pages')],
  ),
  npmServer(
    {
      id: 'brave-search',
      title: 'Brave Search',
      description: 'Searches the web, news, images and places.',
      publisher: 'Brave',
      homepage: 'https://github.com/brave/brave-search-mcp-server',
    },
    ['@brave/brave-search-mcp-server'],
    [secretVariable('BRAVE_API_KEY', 'A key of the Brave Search API')],
  ),
  npmServer(
    {
      id: 'tavily',
      title: 'Tavily',
      description: 'Searches the web and extracts what pages say, made for models.',
      publisher: 'Tavily',
      homepage: 'https://github.com/tavily-ai/tavily-mcp',
    },
    ['tavily-mcp'],
    [secretVariable('TAVILY_API_KEY', 'A key of tavily.com')],
  ),
  npmServer(
    {
      id: 'firecrawl',
      title: 'Firecrawl',
      description: 'Reads pages that need scripts, and crawls whole sites.',
      publisher: 'Firecrawl',
      homepage: 'https://github.com/firecrawl/firecrawl-mcp-server',
    },
    ['firecrawl-mcp'],
    [secretVariable('FIRECRAWL_API_KEY', 'A key of firecrawl.dev')],
  ),
  npmServer(
    {
      id: 'mongodb',
      title: 'MongoDB, reading only',
      description: 'Schemas, queries and statistics of a MongoDB database.',
      publisher: 'MongoDB',
      homepage: 'https://github.com/mongodb-js/mongodb-mcp-server',
    },
    ['mongodb-mcp-server', '--readOnly'],
    [secretVariable('MDB_MCP_CONNECTION_STRING', 'The connection string, with its password')],
  ),
  npmServer(
    {
      id: 'everything',
      title: 'Example server',
      description: 'Every feature of the protocol once, to try a connection with.',
      publisher: steering,
      homepage: `${reference}/everything`,
    },
    ['@modelcontextprotocol/server-everything'],
  ),
]
