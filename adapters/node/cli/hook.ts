import type { Incoming } from '../../../runtime/hooks/incoming.ts'
import { apiCommand, type Client, profileTimes } from './client.ts'
import { Failure, print } from './command.ts'
import { askHidden } from './prompt.ts'

const page = { query: { limit: 200 } } as const

const list = apiCommand({
  usage: 'hook ls',
  what: 'List hooks, outgoing and incoming webhooks',
  async run(_, options, client) {
    const [{ hooks }, outgoing, incoming] = await Promise.all([
      client.get('/api/hooks', page),
      client.get('/api/webhooks', page),
      client.get('/api/webhooks/incoming', page),
    ])
    const lines = [
      ...hooks.map((hook) => lineOf(hook, hook.events.join(', '))),
      ...outgoing.webhooks.map((webhook) => lineOf(webhook, `${webhook.events.join(', ')} → ${webhook.url}`)),
      ...incoming.webhooks.map((webhook) =>
        lineOf(webhook, `from ${webhook.auth.kind} at ${addressOf(client, webhook)}`),
      ),
    ]
    const found = { hooks, webhooks: outgoing.webhooks, incoming: incoming.webhooks }
    print(options, found, lines.join('\n') || 'No hooks')
  },
})

const addressOf = (client: Client, { url, path }: Pick<Incoming, 'url' | 'path'>): string =>
  url ?? client.addressOf(path)

const lineOf = ({ id, enabled, name }: { id: string; enabled: boolean; name: string }, text: string) =>
  `${id.padEnd(32)} ${(enabled ? 'enabled' : 'disabled').padEnd(9)} ${name}: ${text}`

const notify = apiCommand({
  usage: 'hook notify <event> <message>',
  what: 'Get a message in a conversation when an event happens (event: job.run.failed, job.*)',
  options: {
    name: { value: 'name', what: 'Name (default: the event)' },
    filter: { value: 'jsonata', what: "Only events for which it is true, such as data.status = 'failed'" },
    channel: {
      value: 'id',
      what: 'Send the message on this channel, such as Telegram, instead of in a conversation',
    },
  },
  examples: ['hook notify job.run.failed "The job {{ data.name }} failed"'],
  async run([type = '', message = ''], options, client) {
    const { name = type, filter, channel: channel_id } = options
    const place = channel_id === undefined ? {} : { channel: 'channel' as const, channel_id }
    const body = { name, events: [type], filter, action: { kind: 'notify' as const, message, ...place } }
    const hook = await client.post('/api/hooks', { body })
    print(options, hook, lineOf(hook, type))
  },
})

const send = apiCommand({
  usage: 'hook send <event> <url>',
  what: 'Send events to another system as signed webhooks; the secret is shown once',
  options: {
    name: { value: 'name', what: 'Name (default: the host of the URL)' },
    ordered: { what: 'Keep the order of events' },
  },
  examples: ['hook send "job.*" https://example.com/hearthd'],
  async run([type = '', url = ''], options, client) {
    const name = options.name ?? URL.parse(url)?.host ?? url
    const body = { name, url, events: [type], ordered: options.ordered ?? false }
    const webhook = await client.post('/api/webhooks', { body })
    print(options, webhook, `${lineOf(webhook, `${type} → ${url}`)}\n\nSecret: ${webhook.secret}`)
  },
})

const receive = apiCommand({
  usage: 'hook receive <name>',
  what: 'Create an address that starts an agent for each message; asks for the sender’s secret',
  options: {
    auth: {
      value: 'kind',
      what: 'github, gitlab, stripe, slack, standard, hmac_sha256, token or none',
      default: 'token',
    },
    message: {
      value: 'text',
      what: 'Message to the agent, which may contain {{ body… }}; without it, messages are only recorded',
    },
  },
  examples: ['echo "$SECRET" | hearthd hook receive shop --message "A new order: {{ body.id }}"'],
  async run([name = ''], options, client) {
    const { auth, message } = options
    const body = {
      name,
      ...(auth !== 'none' && { secret: await askHidden('Sender’s secret') }),
      auth: { kind: auth as Incoming['auth']['kind'] },
      action: message === undefined ? null : { kind: 'agent' as const, message },
    }
    const webhook = await client.post('/api/webhooks/incoming', { body })
    print(options, webhook, `${lineOf(webhook, `from ${auth}`)}\n\nAddress: ${addressOf(client, webhook)}`)
  },
})

const log = apiCommand({
  usage: 'hook log <id>',
  what: 'Show the latest runs of a hook, or the deliveries of a webhook',
  async run([id = ''], options, client) {
    const entries = await entriesOf(client, id)
    const localTime = await profileTimes(client)
    const lines = entries.map((entry) =>
      `${localTime(entry.at)} ${entry.status.padEnd(9)} ${entry.what} ${entry.error ?? ''}`.trimEnd(),
    )
    print(options, { entries }, lines.join('\n') || 'Nothing yet')
  },
})

interface Entry {
  id: string
  at: string
  status: string
  what: string
  error: string | null
}

async function entriesOf(client: Client, id: string): Promise<Entry[]> {
  const input = { params: { id }, query: { limit: 20 } }
  if (id.startsWith('hook_')) {
    const { runs } = await client.get('/api/hooks/{id}/runs', input)
    return runs.map((run) => ({ ...run, at: run.created_at, what: run.event_type }))
  }
  if (id.startsWith('whin_')) {
    const { deliveries } = await client.get('/api/webhooks/incoming/{id}/deliveries', input)
    return deliveries.map((one) => ({ ...one, at: one.received_at, what: 'message' }))
  }
  if (!id.startsWith('wh_'))
    throw new Failure('There is no hook or webhook with this id; hearthd hook ls lists them')
  const { deliveries } = await client.get('/api/webhooks/{id}/deliveries', input)
  return deliveries.map((one) => ({
    id: one.id,
    at: one.created_at,
    status: one.status,
    what: one.event_type,
    error: one.last_attempt?.error ?? null,
  }))
}

const remove = apiCommand({
  usage: 'hook rm <id>',
  what: 'Delete a hook or a webhook with its log',
  async run([id = ''], options, client) {
    const params = { id }
    const deleted = id.startsWith('hook_')
      ? await client.delete('/api/hooks/{id}', { params })
      : id.startsWith('whin_')
        ? await client.delete('/api/webhooks/incoming/{id}', { params })
        : await client.delete('/api/webhooks/{id}', { params })
    print(options, deleted, `${id} was deleted`)
  },
})

export const commands = [list, notify, send, receive, log, remove]
