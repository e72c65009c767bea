import { z } from 'zod'
import type { Context } from '../../context.ts'
import { minute, second } from '../../time.ts'
import {
  type Connection,
  type Disconnection,
  type InboundMessage,
  type Listener,
  permanent,
  SendFailed,
} from '../platform.ts'
import { call } from './telegram-api.ts'

/** Kinds of updates that are received. */
export const updateKinds = ['message', 'edited_message', 'callback_query']

/** Seconds that Telegram waits for an update before it answers with none; less than the time limit of a request. */
const holdSeconds = 20
/** Updates per request. The largest fit into an answer many times. */
const pageSize = 20

const Page = z.array(z.looseObject({ update_id: z.int() }))

/** What one update contains, and the call that acknowledges it, if any. */
export interface ReadUpdate {
  messages: readonly InboundMessage[]
  acknowledgement: { method: string; [parameter: string]: unknown } | null
}

interface Polling {
  connection: Connection
  context: Context
  listener: Listener
  read(update: unknown): Promise<ReadUpdate>
}

/**
 * Requests updates until the signal aborts (https://core.telegram.org/bots/api#getupdates). `cursor` is the first update
 * to receive. Telegram keeps an update until a request names a later one, and that is sent only after its message is
 * stored.
 */
export async function pollUpdates(cursor: string | null, polling: Polling): Promise<Disconnection> {
  const { context, listener } = polling
  let offset = cursor ?? ''
  let timeout = 0
  for (;;) {
    context.signal.throwIfAborted()
    const asked_at = context.clock.now()
    const updates = await nextUpdates(polling, offset, timeout)
    // Whatever answers at once instead of waiting is not asked more often than this.
    const early = timeout > 0 && updates.length === 0 && context.clock.now() - asked_at < second
    if (early) await context.clock.after(second, context.signal)
    if (timeout === 0) await listener.connected(offset)
    timeout = holdSeconds
    const last = updates.at(-1)
    if (!last) continue
    const contents = await readAll(updates, polling)
    offset = String(last.update_id + 1)
    await listener.receive(
      contents.flatMap(({ messages }) => messages),
      offset,
    )
    for (const { acknowledgement } of contents) if (acknowledgement) await acknowledge(acknowledgement, polling)
  }
}

async function readAll(updates: z.output<typeof Page>, { read }: Polling): Promise<ReadUpdate[]> {
  const contents: ReadUpdate[] = []
  for (const update of updates) contents.push(await read(update))
  return contents
}

async function nextUpdates(
  { context, connection }: Polling,
  offset: string,
  timeout: number,
): Promise<z.output<typeof Page>> {
  const json = {
    ...(offset !== '' && { offset: Number(offset) }),
    limit: pageSize,
    timeout,
    allowed_updates: updateKinds,
  }
  try {
    return Page.parse(await call(context, connection, 'getUpdates', { method: 'POST', json }))
  } catch (thrown) {
    if (!(thrown instanceof SendFailed)) throw thrown
    const refusal = thrown.message
    // Telegram delivers to one place only, and refuses a second one with "Conflict".
    if (/webhook/i.test(refusal)) await endDelivery(context, connection)
    else if (/\bterminated by other getUpdates\b/i.test(refusal)) throw otherProgram()
    else throw thrown
  }
  return []
}

const otherProgram = () =>
  new SendFailed(
    'Another program receives the messages of this bot. Stop that program, or create another bot with @BotFather',
    { retry_after_seconds: minute / second },
  )

/** Ends the delivery to the address that this channel had. What another program receives is left to a person to decide. */
async function endDelivery(context: Context, connection: Connection): Promise<void> {
  const { url } = Webhook.parse(await call(context, connection, 'getWebhookInfo'))
  if (url !== '' && !url.endsWith(`/telegram/webhook/${connection.channel_id}`)) {
    const where = URL.parse(url)?.host ?? 'another address'
    throw permanent(
      `Telegram delivers the messages of this bot to ${where}. Connect the channel to receive them here instead, or create another bot with @BotFather`,
    )
  }
  await call(context, connection, 'deleteWebhook', { method: 'POST', json: {} })
}

/** https://core.telegram.org/bots/api#webhookinfo */
export const Webhook = z.object({
  url: z.string(),
  pending_update_count: z.number().default(0),
  last_error_message: z.string().optional(),
})
export type Webhook = z.output<typeof Webhook>

/** Without it, a pressed button shows a progress indicator for a while. */
async function acknowledge(
  { method, ...json }: NonNullable<ReadUpdate['acknowledgement']>,
  { context, connection }: Polling,
): Promise<void> {
  try {
    await call(context, connection, method, { method: 'POST', json })
  } catch (thrown) {
    context.signal.throwIfAborted()
    context.log.write('info', 'cannot acknowledge a pressed button', { cause: String(thrown) })
  }
}
