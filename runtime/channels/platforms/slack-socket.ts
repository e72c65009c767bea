import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import type { Connection, Disconnection, InboundMessage, Listener } from '../platform.ts'
import { openSocket } from './request.ts'
import { call, title } from './slack-api.ts'

// https://docs.slack.dev/apis/events-api/using-socket-mode

/** Larger than an event, whose text has at most 40,000 characters. */
const maxMessageBytes = 4 * 1024 * 1024

const Envelope = z.object({
  type: z.string(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
  /** Why Slack is about to close the connection. */
  reason: z.string().optional(),
})
type Envelope = z.output<typeof Envelope>

interface Receiving {
  connection: Connection
  context: Context
  listener: Listener
  read(payload: unknown): readonly InboundMessage[]
}

/**
 * Opens a connection with the app-level token and receives what people write, until it ends. Slack has no positions:
 * it repeats an event over the next connection unless it was acknowledged, which happens after the message is stored.
 */
export async function receiveOverSocket({ connection, context, listener, read }: Receiving): Promise<Disconnection> {
  const { body } = await call(context, connection, 'apps.connections.open', { token: 'app_token' })
  const { url } = z.object({ url: z.string() }).parse(body)
  const socket = await openSocket(context, url, {
    title,
    domains: ['slack.com', 'slack-gov.com'],
    max_message_bytes: maxMessageBytes,
    ping_seconds: 30,
  })
  try {
    for await (const text of socket.messages) {
      const envelope = Envelope.safeParse(parseJson(text)).data
      if (!envelope) continue
      if (envelope.type === 'hello') await listener.connected('')
      if (envelope.type === 'disconnect') return endOf(envelope)
      if (envelope.envelope_id === undefined) continue
      const messages = read(envelope.payload)
      if (messages.length > 0) await listener.receive(messages, '')
      socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }))
    }
  } finally {
    socket.cut()
  }
  context.signal.throwIfAborted()
  const { code } = await socket.closed
  return ended(`The connection to Slack was cut (code ${code})`)
}

const ended = (reason: string, retry_after_seconds: number | null = 0): Disconnection => ({
  reason,
  retry_after_seconds,
  cursor: null,
})

/** Slack renews each connection every few hours. */
const endOf = ({ reason = 'unknown' }: Envelope): Disconnection =>
  reason === 'link_disabled'
    ? ended(
        'Socket Mode is off. Turn it on at Slack under Settings → Socket Mode, then connect the channel again',
        null,
      )
    : ended(`Slack asked to reconnect (${reason})`)
