import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import type { OutboundSocket } from '../../ports/outbound.ts'
import { processState } from '../../process-state.ts'
import { minute, second } from '../../time.ts'
import { type Connection, type Disconnection, type InboundMessage, type Listener, SendFailed } from '../platform.ts'
import { call, title } from './discord-api.ts'
import { acknowledgement, fromInteraction, fromMessage, Interaction, Message, Place, User } from './discord-inbound.ts'
import { openLimit, openSocket } from './request.ts'

// https://docs.discord.com/developers/events/gateway

const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  acknowledged: 11,
}

const intents = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 }
/** Flags of an application whose Message Content intent is turned on: approved, or not yet in many servers. */
const contentFlags = (1 << 18) | (1 << 19)

/** Larger than the state that Discord sends to a bot in thousands of servers. */
const maxMessageBytes = 16 * 1024 * 1024

/** Close codes after which Discord refuses every further attempt, with what to do. */
const finalCodes: Record<number, string> = {
  4004: 'Discord refused the bot token. Enter a new one from Bot → Reset Token',
  4010: 'Discord refused the connection: invalid shard',
  4011: 'The bot is in more servers than one connection can serve. Remove it from some',
  4012: 'Discord no longer supports this version of its gateway. Update hearthd',
  4013: 'Discord refused the connection: invalid intents. Update hearthd',
  4014: 'Discord refused the Message Content intent. Turn it on under Bot → Privileged Gateway Intents, then connect the channel again',
}

/** Close codes that end the session, so that it cannot be resumed: not authenticated, invalid position, timeout, and normal ends. */
const endedSessions = [1000, 1001, 4003, 4007, 4009]

/** What is needed to resume after a cut. Stored as the channel's cursor. */
const Session = z.object({ id: z.string(), url: z.string(), seq: z.int(), bot_id: z.string() })
type Session = z.output<typeof Session>

const Payload = z.object({
  op: z.number(),
  d: z.unknown().optional(),
  s: z.int().nullish(),
  t: z.string().nullish(),
})
const Hello = z.object({
  heartbeat_interval: z
    .number()
    .min(second)
    .max(10 * minute),
})
const Ready = z.object({ session_id: z.string(), resume_gateway_url: z.string(), user: User })

export const Application = z.object({
  id: z.string(),
  name: z.string(),
  verify_key: z.string(),
  interactions_endpoint_url: z.string().nullish(),
  flags: z.number().default(0),
})

/** Whether the bot may read messages in servers that do not mention it. */
export const readsAll = ({ flags }: Pick<z.output<typeof Application>, 'flags'>) => (flags & contentFlags) !== 0

/** Connects to Discord's gateway, resumes the session of `cursor` if there is one, and stays connected until the connection ends. */
export async function listenToGateway(
  cursor: string | null,
  connection: Connection,
  context: Context,
  listener: Listener,
): Promise<Disconnection> {
  const session = Session.safeParse(parseJson(cursor ?? '')).data ?? null
  const start = session ? { url: session.url, intents: 0 } : await newSession(connection, context)
  if (!('url' in start)) return start
  const socket = await open(start.url, context)
  const gateway = new Gateway({ connection, context, listener, socket, intents: start.intents }, session)
  return gateway.run()
}

const GatewayInfo = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
})

/** Where to start a session and with which intents, unless Discord allows no more sessions today. */
async function newSession(
  connection: Connection,
  context: Context,
): Promise<Disconnection | { url: string; intents: number }> {
  const { url, session_start_limit: limit } = GatewayInfo.parse(await call(context, connection, '/gateway/bot', {}))
  if (limit.remaining <= 0)
    return {
      reason: 'Discord allows no more connections of this bot for now',
      cursor: null,
      retry_after_seconds: Math.ceil(limit.reset_after / second),
    }
  const application = Application.parse(await call(context, connection, '/applications/@me', {}))
  const content = readsAll(application) ? intents.messageContent : 0
  return { url, intents: intents.guildMessages | intents.directMessages | content }
}

async function open(url: string, context: Context): Promise<OutboundSocket> {
  const { host = '' } = URL.parse(url) ?? {}
  const address = `${URL.parse(url)?.protocol}//${host}/?v=10&encoding=json`
  return openSocket(context, address, { title, domains: ['discord.gg'], max_message_bytes: maxMessageBytes })
}

interface Parts {
  connection: Connection
  context: Context
  listener: Listener
  socket: OutboundSocket
  intents: number
}

/** One connection to the gateway. */
class Gateway {
  readonly #parts: Parts
  /** Aborts when the connection has ended. */
  readonly #ended = new AbortController()
  #session: Session | null
  #greeted = false
  /** Whether Discord has acknowledged the last heartbeat. */
  #acknowledged = true
  /** Why this side cut the connection. */
  #cutReason: string | null = null
  /** What a heartbeat has failed with. */
  #failure: unknown = null

  constructor(parts: Parts, session: Session | null) {
    this.#parts = parts
    this.#session = session
  }

  async run(): Promise<Disconnection> {
    const { context, socket } = this.#parts
    void this.#cutWithoutGreeting()
    try {
      for await (const text of socket.messages) {
        const end = await this.#handle(Payload.safeParse(parseJson(text)).data)
        if (end) return end
      }
    } finally {
      this.#ended.abort()
      socket.cut()
    }
    context.signal.throwIfAborted()
    if (this.#failure !== null) throw this.#failure
    return this.#cutReason === null ? this.#afterClose(await socket.closed) : this.#resumable(this.#cutReason)
  }

  async #handle(payload: z.output<typeof Payload> | undefined): Promise<Disconnection | null> {
    if (!payload) return null
    const { op, d } = payload
    if (op === opcodes.hello) this.#greet(Hello.parse(d).heartbeat_interval)
    if (op === opcodes.heartbeat) this.#beat()
    if (op === opcodes.acknowledged) this.#acknowledged = true
    if (op === opcodes.reconnect) return this.#resumable('Discord asked to reconnect')
    if (op === opcodes.invalidSession) {
      if (d !== true) this.#session = null
      // Discord asks for a random wait of one to five seconds.
      return this.#resumable('Discord ended the session', 1 + Math.round(4 * this.#random()))
    }
    if (op === opcodes.dispatch) await this.#dispatch(payload)
    return null
  }

  #resumable(reason: string, retry_after_seconds = 0): Disconnection {
    return { reason, cursor: this.#cursor(), retry_after_seconds }
  }

  #afterClose({ code, reason }: { code: number; reason: string }): Disconnection {
    const final = finalCodes[code]
    if (final) return { reason: final, cursor: null, retry_after_seconds: null }
    if (endedSessions.includes(code)) this.#session = null
    const why = reason === '' ? `code ${code}` : `${reason.slice(0, 100)}, code ${code}`
    return this.#resumable(
      code === 1006 ? 'The connection to Discord was cut' : `Discord closed the connection (${why})`,
    )
  }

  #cursor(): string | null {
    return this.#session && JSON.stringify(this.#session)
  }

  #send(op: number, d: unknown): void {
    this.#parts.socket.send(JSON.stringify({ op, d }))
  }

  #cut(reason: string): void {
    this.#cutReason ??= reason
    this.#parts.socket.cut()
  }

  /** Resolves after the time, or false if the connection ends first. */
  #wait(milliseconds: number): Promise<boolean> {
    const waited = this.#parts.context.clock.after(milliseconds, this.#ended.signal)
    return waited.then(
      () => true,
      () => false,
    )
  }

  async #cutWithoutGreeting(): Promise<void> {
    if ((await this.#wait(openLimit)) && !this.#greeted)
      this.#cut('Discord sent nothing after the connection was opened')
  }

  #greet(interval: number): void {
    const { connection, intents } = this.#parts
    const { bot_token: token } = connection.credentials
    this.#greeted = true
    void this.#beatEvery(interval)
    if (this.#session) this.#send(opcodes.resume, { token, session_id: this.#session.id, seq: this.#session.seq })
    else {
      const properties = { os: 'linux', browser: 'hearthd', device: 'hearthd' }
      this.#send(opcodes.identify, { token, intents, properties })
    }
  }

  #beat(): void {
    this.#send(opcodes.heartbeat, this.#session?.seq ?? null)
  }

  /** The first heartbeat is sent after a random part of the interval, so that not all bots send at once. */
  async #beatEvery(interval: number): Promise<void> {
    let wait = interval * this.#random()
    while (await this.#wait(wait)) {
      if (!this.#acknowledged) return this.#cut('Discord did not acknowledge a heartbeat')
      this.#acknowledged = false
      this.#beat()
      wait = interval
      try {
        const cursor = this.#cursor()
        if (cursor !== null) await this.#parts.listener.alive(cursor)
      } catch (thrown) {
        this.#failure = thrown
        return this.#parts.socket.cut()
      }
    }
  }

  #random(): number {
    return Number.parseInt(this.#parts.context.secrets.random(4), 16) / 2 ** 32
  }

  async #dispatch({ t, s, d }: z.output<typeof Payload>): Promise<void> {
    if (t === 'READY') return this.#ready(Ready.parse(d), s ?? 0)
    if (!this.#session) return
    const next = { ...this.#session, seq: s ?? this.#session.seq }
    const cursor = JSON.stringify(next)
    const { listener } = this.#parts
    if (t === 'RESUMED') await listener.connected(cursor)
    if (t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE') await this.#message(d, t === 'MESSAGE_UPDATE', cursor)
    if (t === 'INTERACTION_CREATE') await this.#interaction(d, cursor)
    // Only now: a position counts as received once its message is stored.
    this.#session = next
  }

  async #ready({ session_id, resume_gateway_url, user }: z.output<typeof Ready>, seq: number): Promise<void> {
    const session = { id: session_id, url: resume_gateway_url, seq, bot_id: user.id }
    await this.#parts.listener.connected(JSON.stringify(session))
    this.#session = session
  }

  async #message(data: unknown, isEdit: boolean, cursor: string): Promise<void> {
    const raw = Message.safeParse(data).data
    if (!raw || !this.#session) return
    const source = { bot_id: this.#session.bot_id, isEdit, now: this.#parts.context.clock.now() }
    // Most messages in a busy server are not for the bot: look up the channel only of those that can be read.
    if (!fromMessage(raw, { ...source, place: null })) return
    const place = raw.guild_id ? await this.#place(raw.channel_id) : null
    const message = fromMessage(raw, { ...source, place })
    if (message) await this.#parts.listener.receive([message], cursor)
  }

  async #interaction(data: unknown, cursor: string): Promise<void> {
    const interaction = Interaction.safeParse(data).data
    const message = interaction && fromInteraction(interaction)
    if (!message) return
    // An answer that is sent before the acknowledgement finds no interaction to answer.
    await this.#acknowledge(interaction, message)
    await this.#parts.listener.receive([message], cursor)
  }

  /** Within three seconds, or Discord shows the command as failed; the answer is then a message of the channel. */
  async #acknowledge({ id, token }: z.output<typeof Interaction>, message: InboundMessage): Promise<void> {
    const { context, connection } = this.#parts
    const path = `/interactions/${id}/${encodeURIComponent(token)}/callback`
    try {
      await call(context, connection, path, { method: 'POST', json: acknowledgement(message) })
    } catch (thrown) {
      context.log.write('info', 'cannot acknowledge a Discord interaction', { cause: String(thrown) })
    }
  }

  /** The channel or thread of a message; null if the bot may not see it. Rejects if it may be known later. */
  async #place(id: string): Promise<Place | null> {
    const { context, connection } = this.#parts
    const place = places(context).get(id)
    if (place) return place
    try {
      const place = Place.parse(await call(context, connection, `/channels/${id}`, {}))
      places(context).set(id, place)
      return place
    } catch (thrown) {
      if (thrown instanceof SendFailed && thrown.is_permanent) return null
      throw thrown
    }
  }
}

/** Channels and threads of servers, by id. */
const places = processState(() => new LRUCache<string, Place>({ max: 1_000 }))
