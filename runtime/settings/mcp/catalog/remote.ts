import { address, type CatalogEntry, remoteServer, token } from './entry.ts'

/** Servers that somebody else runs, or that run elsewhere in the house. */
export const remoteServers: readonly CatalogEntry[] = [
  remoteServer(
    {
      id: 'home-assistant',
      title: 'Home Assistant',
      description: 'Lights, heating, sensors and whatever else Home Assistant exposes to assistants.',
      publisher: 'Home Assistant',
      homepage: 'https://www.home-assistant.io/integrations/mcp_server/',
    },
    '{url}',
    [
      address('Where Home Assistant answers', 'http://homeassistant.local:8123/api/mcp'),
      token('A long-lived access token of a Home Assistant user'),
    ],
  ),
  remoteServer(
    {
      id: 'github',
      title: 'GitHub',
      description: 'Repositories, issues, pull requests, workflows and code search.',
      publisher: 'GitHub',
      homepage: 'https://github.com/github/github-mcp-server',
    },
    'https://api.githubcopilot.com/mcp/',
    [token('A personal access token with the rights that the agents should have')],
  ),
  remoteServer(
    {
      id: 'linear',
      title: 'Linear',
      description: 'Issues, projects and comments of a Linear workspace.',
      publisher: 'Linear',
      homepage: 'https://linear.app/docs/mcp',
    },
    'https://mcp.linear.app/mcp',
    [token('A personal API key of Linear')],
  ),
  remoteServer(
    {
      id: 'stripe',
      title: 'Stripe',
      description: 'Customers, invoices, payments and the documentation of Stripe.',
      publisher: 'Stripe',
      homepage: 'https://docs.stripe.com/mcp',
    },
    'https://mcp.stripe.com',
    [token('A restricted API key with as few rights as possible')],
  ),
  remoteServer(
    {
      id: 'hugging-face',
      title: 'Hugging Face',
      description: 'Models, data sets, papers and Spaces of the Hugging Face hub.',
      publisher: 'Hugging Face',
      homepage: 'https://huggingface.co/settings/mcp',
    },
    'https://huggingface.co/mcp',
    [token('A read token, for your own and gated things', false)],
  ),
  remoteServer(
    {
      id: 'deepwiki',
      title: 'DeepWiki',
      description: 'Questions about public GitHub repositories, answered from generated documentation.',
      publisher: 'Cognition',
      homepage: 'https://docs.devin.ai/work-with-devin/deepwiki-mcp',
    },
    'https://mcp.deepwiki.com/mcp',
  ),
]
