import { z } from 'zod'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as channels from '../../handlers/channels/channels.ts'
import * as pairings from '../../handlers/channels/pairings.ts'
import { postWebhook } from '../../handlers/channels/webhook.ts'
import { substitutes } from '../../runtime/channels/connection.ts'
import {
  type InboundMessage,
  type OutboundMessage,
  type Peer,
  type Platform,
  SendFailed,
} from '../../runtime/channels/platform.ts'
import type { Channel, LogEntry, NewChannel, Pairing } from '../../runtime/channels/schema.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'

export const ada = { id: 'ada', name: 'Ada' }
export const bob = { id: 'bob', name: 'Bob' }

export const dm = (id: string): Peer => ({ kind: 'dm', id, name: id, thread_id: null, team_id: null })
export const group: Peer = { kind: 'group', id: 'room', name: 'Kitchen', thread_id: null, team_id: 'house' }

export const limits: Platform['limits'] = {
  text_characters: 200,
  messages_per_second: Number.POSITIVE_INFINITY,
  file_bytes: 1_000,
  acknowledge_seconds: 3,
}

/** A platform in memory, in the place of Telegram: bodies are JSON, and the header `x-secret` is its signature. */
export class ScriptedPlatform {
  readonly sent: OutboundMessage[] = []
  readonly typed: Peer[] = []
  /** The reactions that were set, null for one that was removed, with the token of the message. */
  readonly reactions: [emoji: string | null, token: string | undefined][] = []
  /** What was edited, with the platform's id of the message. */
  readonly edited: { id: string; message: OutboundMessage }[] = []
  /** Outcomes of the next sends; null for success. */
  readonly failures: (Error | null)[] = []
  readonly platform: Platform

  constructor(change: Partial<Platform> = {}, edits = false) {
    const edit: Platform['edit'] = async (message, id) => {
      const failure = this.failures.shift()
      if (failure) throw failure
      this.edited.push({ id, message })
    }
    this.platform = {
      ...(edits && { edit }),
      name: 'telegram',
      title: 'Script',
      credentials: z.object({
        bot_token: z.string().min(3).meta({ title: 'Bot token', description: 'A token', secret: true }),
        room: z.string().optional().meta({ description: 'A room' }),
      }),
      setup_steps: ['Enter {webhook_url}'],
      limits,
      has: { buttons: true, typing: true, files: true, groups: true },
      receive: async ({ headers, body, method }, { credentials }) => {
        if (method === 'GET') return { kind: 'answered', response: new Response('challenge') }
        if (headers.get('x-secret') !== credentials.bot_token) return { kind: 'refused', reason: 'the secret is wrong' }
        return { kind: 'accepted', messages: JSON.parse(new TextDecoder().decode(body)) }
      },
      send: async (message) => {
        const failure = this.failures.shift()
        if (failure) throw failure
        this.sent.push(message)
        return { platform_message_id: `p${this.sent.length}` }
      },
      typing: async (peer) => void this.typed.push(peer),
      react: async (emoji, { reply }) => void this.reactions.push([emoji, reply.token]),
      download: async ({ reference }) => new Response(reference.text),
      health: async () => ({ ok: true, detail: 'Connected as @script' }),
      ...change,
    }
  }

  get texts(): string[] {
    return this.sent.map(({ markdown }) => markdown)
  }
}

export const limited = (seconds: number) => new SendFailed('slow down', { retry_after_seconds: seconds })

let count = 0

export function message(change: Partial<InboundMessage> = {}): InboundMessage {
  count += 1
  const sender = change.sender ?? ada
  return {
    id: `m${count}`,
    kind: 'message',
    edits: null,
    sender,
    peer: dm(sender.id),
    about: null,
    text: 'hello',
    quotes: [],
    value: null,
    is_mention: true,
    files: [],
    sent_at: '2026-01-05T12:00:00.000Z',
    reply: { token: `r${count}` },
    ...change,
  }
}

export interface Kit {
  host: MemoryHost
  script: ScriptedPlatform
  channel: Channel
}

export async function channelHost(
  {
    input = {},
    platform = {},
    edits = false,
    ...options
  }: { input?: Partial<NewChannel>; platform?: Partial<Platform>; edits?: boolean } & Parameters<
    typeof testHost
  >[0] = {},
  config: Parameters<typeof testHost>[1] = {},
): Promise<Kit> {
  const host = await testHost(options, config)
  const script = new ScriptedPlatform(platform, edits)
  substitutes(host).set('telegram', script.platform)
  const response = await call(channels.create, host, {
    body: {
      platform: 'telegram',
      name: 'Messenger',
      credentials: { bot_token: 'secret-token-1234' },
      ...input,
    },
  })
  if (response.status !== 201) throw new Error(await response.text())
  return { host, script, channel: await response.json() }
}

export const post = (
  { host, channel }: Kit,
  messages: readonly InboundMessage[],
  headers: Record<string, string> = { 'x-secret': 'secret-token-1234' },
): Promise<Response> =>
  call(postWebhook, host, {
    params: { platform: 'telegram', channel_id: channel.id },
    body: JSON.stringify(messages),
    headers: { 'content-type': 'application/json', ...headers },
  })

/** Delivers messages and works until nothing is due. */
export async function deliver(kit: Kit, ...messages: InboundMessage[]): Promise<void> {
  const response = await post(kit, messages)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  await workOff(kit.host)
}

export async function pairingsOf(host: Host): Promise<Pairing[]> {
  return ((await (await call(pairings.pairings, host)).json()) as { pairings: Pairing[] }).pairings
}

/** Pairs Ada as the owner. */
export async function pairOwner(kit: Kit): Promise<void> {
  await deliver(kit, message())
  const [pairing] = await pairingsOf(kit.host)
  const response = await call(pairings.approve, kit.host, {
    params: { id: pairing?.id ?? '' },
    body: { role: 'owner' },
  })
  if (response.status !== 200) throw new Error(await response.text())
  await workOff(kit.host)
  kit.script.sent.length = 0
}

export async function logOf({ host, channel }: Kit): Promise<LogEntry[]> {
  const response = await call(channels.log, host, { params: { id: channel.id } })
  return ((await response.json()) as { entries: LogEntry[] }).entries
}
