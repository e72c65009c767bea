import type { Channel, Pairing, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { apiCommand, type Client } from './client.ts'
import { Failure, print } from './command.ts'

const list = apiCommand({
  usage: 'channel ls',
  what: 'List the channels',
  async run(_, options, client) {
    const found = await client.get('/api/channels', { query: { limit: 200 } })
    print(options, found, found.channels.map(lineOf).join('\n') || 'No channels')
  },
})

const lineOf = ({ id, status, platform, name }: Channel): string =>
  `${id.padEnd(32)} ${status.padEnd(13)} ${platform.padEnd(12)} ${name}`

const platforms = apiCommand({
  usage: 'channel platforms',
  what: 'List the platforms and the credentials that each needs',
  async run(_, options, client) {
    const found = await client.get('/api/channels/platforms')
    const lines = found.platforms.map(({ name, credentials }) => {
      const fields = credentials.map((field) => `${field.name}${field.required ? '' : ' (optional)'}`)
      return `${name.padEnd(12)} ${fields.join(', ')}`
    })
    print(options, found, lines.join('\n'))
  },
})

const add = apiCommand({
  usage: 'channel add <platform> <name>',
  what: 'Add a channel; credentials are read from standard input, one name=value per line',
  examples: ['channel add telegram Family < telegram.env'],
  async run([platform = '', name = ''], options, client) {
    const platforms = await platformsOf(client)
    const found = platforms.find((one) => one.name === platform)
    if (!found) throw new Failure(`There is no platform ${platform}; hearthd channel platforms lists them`)
    const body = { platform: found.name, name, credentials: parse(await standardInput()) }
    const channel = await client.post('/api/channels', { body })
    print(options, channel, describe(channel, platforms))
  },
})

/** Reads nothing from a terminal, which would show the credentials as they are typed. */
async function standardInput(): Promise<string> {
  if (process.stdin.isTTY) return ''
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString()
}

function parse(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1) throw new Failure('Write each credential on its own line as name=value')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

const platformsOf = async (client: Client): Promise<PlatformInfo[]> =>
  (await client.get('/api/channels/platforms')).platforms

function describe(channel: Channel, platforms: PlatformInfo[]): string {
  const platform = platforms.find(({ name }) => name === channel.platform)
  const needsAddress = platform && !platform.fetches_messages
  const { missing, webhook_url, webhook_path, last_error, owner_paired, settings } = channel
  return [
    lineOf(channel),
    ...(missing.length > 0 ? [`Missing credentials: ${missing.join(', ')}`] : []),
    ...(needsAddress ? [addressLine(webhook_url, webhook_path)] : []),
    `Direct messages: ${settings.dm_policy}; groups: ${settings.group_policy}`,
    owner_paired ? 'You are paired' : 'You are not paired: write to the bot, then use hearthd channel pair',
    ...(last_error === null ? [] : [`Last error: ${last_error}`]),
  ].join('\n')
}

const addressLine = (url: string | null, path: string): string =>
  url === null
    ? `The public base URL is not set; set it in the UI under Channels. The webhook path is ${path}`
    : `Webhook address: ${url}`

const show = apiCommand({
  usage: 'channel show <channel>',
  what: 'Show a channel with its webhook address (channel: id or name)',
  async run([name = ''], options, client) {
    const channel = await findChannel(client, name)
    print(options, channel, describe(channel, await platformsOf(client)))
  },
})

const verbs = [
  ['connect', 'Enable a channel, register its webhook address and check the credentials'],
  ['disconnect', 'Disable a channel, so that it neither receives nor sends'],
] as const

const controls = verbs.map(([verb, what]) =>
  apiCommand({
    usage: `channel ${verb} <channel>`,
    what: `${what} (channel: id or name)`,
    async run([name = ''], options, client) {
      const { id } = await findChannel(client, name)
      const channel = await client.post(`/api/channels/{id}/${verb}`, { params: { id } })
      print(options, channel, describe(channel, await platformsOf(client)))
    },
  }),
)

const test = apiCommand({
  usage: 'channel test <channel>',
  what: 'Test the credentials of a channel by calling its platform (channel: id or name)',
  async run([name = ''], options, client) {
    const { id } = await findChannel(client, name)
    const result = await client.post('/api/channels/{id}/test', { params: { id } })
    if (!result.ok) throw new Failure(result.detail)
    print(options, result, `${result.detail} (${result.latency_ms} ms)`)
  },
})

const send = apiCommand({
  usage: 'channel send <channel> <text>',
  what: 'Send a message on a channel (channel: id or name)',
  options: {
    to: { value: 'id', what: 'Chat, room or address on the platform (default: the paired owner)' },
  },
  async run([name = '', text = ''], options, client) {
    const { id } = await findChannel(client, name)
    const sent = await client.post('/api/channels/{id}/send', {
      params: { id },
      body: { text, to: options.to },
    })
    print(options, sent, 'Message queued')
  },
})

const pair = apiCommand({
  usage: 'channel pair <code>',
  what: 'Allow the person with this code to write, as a guest',
  options: {
    owner: { what: 'Pair the person as you, with all your rights on the channel' },
    deny: { what: 'Deny the person: they cannot write' },
  },
  async run([code = ''], options, client) {
    const params = { id: code }
    const pairing = options.deny
      ? await client.post('/api/channels/pairings/{id}/deny', { params })
      : await client.post('/api/channels/pairings/{id}/approve', {
          params,
          body: { role: options.owner ? 'owner' : 'guest' },
        })
    print(options, pairing, lineOfPairing(pairing))
  },
})

const pairings = apiCommand({
  usage: 'channel pairings',
  what: 'List pairing requests and their decisions',
  async run(_, options, client) {
    const found = await client.get('/api/channels/pairings', { query: { limit: 200 } })
    print(options, found, found.pairings.map(lineOfPairing).join('\n') || 'No requests')
  },
})

const lineOfPairing = ({ code, status, role, sender_id, sender_name }: Pairing): string =>
  `${code.padEnd(10)} ${(role ?? status).padEnd(10)} ${sender_name === null ? sender_id : `${sender_name} (${sender_id})`}`

const remove = apiCommand({
  usage: 'channel rm <channel>',
  what: 'Delete a channel with its credentials and pairings (channel: id or name)',
  async run([name = ''], options, client) {
    const { id, name: title } = await findChannel(client, name)
    const answer = await client.delete('/api/channels/{id}', { params: { id } })
    print(options, answer, `Deleted ${title}`)
  },
})

/** The channel with this id, or the only one with this name. */
async function findChannel(client: Client, wanted: string): Promise<Channel> {
  if (/^chan_[0-9a-z]+$/.test(wanted)) return client.get('/api/channels/{id}', { params: { id: wanted } })
  const { channels } = await client.get('/api/channels', { query: { limit: 200 } })
  const [found, other] = channels.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (!found)
    throw new Failure(`There is no channel ${wanted}; hearthd channel ls lists them`, { name: 'not_found' })
  if (other) throw new Failure(`${wanted} matches more than one channel; use an id`, { name: 'ambiguous' })
  return found
}

export const commands = [list, platforms, add, show, ...controls, test, send, pair, pairings, remove]
