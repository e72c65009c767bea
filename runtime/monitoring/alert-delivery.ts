import { actingFor } from '../auth/owner.ts'
import { channelMessage, findChannel } from '../channels/index.ts'
import type { Context } from '../context.ts'
import { Fault, notFound } from '../fault.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import type { Statement } from '../ports/sql.ts'
import { signStandard } from '../secrets/signatures.ts'
import { sendEmail } from '../settings/index.ts'
import { errorWithCause } from '../thrown.ts'
import { second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import type { AlertDelivery } from './alert-schema.ts'
import { alertDeliveryKind, Message } from './alert-send.ts'
import { insertEntry } from './alert-store.ts'
import { summaryOf, valueText } from './alert-text.ts'
import { alerts } from './alerts.ts'
import { alertPurpose } from './purposes.ts'

/** Seconds before each retry, as for webhooks. */
const delays = [5, 30, 120, 600, 3_600, 21_600]

/** Delivers a message as the alert is configured now. A failing receiver is retried and delays nothing else. */
export const alertDelivery: WorkKind = {
  kind: alertDeliveryKind,
  max_running: 10,
  reports_events: true,
  timeout_seconds: 60,
  retry: { max_attempts: delays.length + 1, delay_seconds: (attempt) => delays[attempt - 1] ?? 21_600 },
  after_crash: 'retry',
  async run({ id, subject, payload, attempt }, context) {
    const alert = await alerts.find(context, subject)
    if (!alert) return { status: 'succeeded' }
    try {
      const statements = await send(context, alert.delivery, { id, message: Message.parse(payload) })
      const note = `${await describe(context, alert.delivery)}, attempt ${attempt}`
      return {
        status: 'succeeded',
        statements: [...statements, insertEntry(context, subject, { event: 'delivered', note })],
      }
    } catch (thrown) {
      if (context.signal.reason instanceof Stopping) throw thrown
      const cause = context.signal.aborted ? context.signal.reason : thrown
      const note = `${await describe(context, alert.delivery)}, attempt ${attempt}: ${errorWithCause(cause)}`
      const noted = insertEntry(context, subject, { event: 'delivery_failed', note })
      if (isFinal(thrown)) return { status: 'failed', output: { error: note }, statements: [noted] }
      await context.commit([noted])
      throw thrown
    }
  },
}

const isFinal = (thrown: unknown) => thrown instanceof Fault || thrown instanceof OutboundBlocked

async function describe(context: Context, delivery: AlertDelivery): Promise<string> {
  if (delivery.type === 'webhook') return `webhook ${new URL(delivery.url).host}`
  if (delivery.type === 'channel')
    return `channel ${(await findChannel(context, delivery.channel_id))?.name ?? delivery.channel_id}`
  return delivery.type === 'email' ? `email to ${delivery.to.join(', ')}` : delivery.type
}

interface Outgoing {
  /** The same for each attempt, so that a receiver can detect duplicates. */
  id: string
  message: Message
}

/** Returns statements for the commit that records the delivery. */
async function send(context: Context, delivery: AlertDelivery, outgoing: Outgoing): Promise<Statement[]> {
  const { message } = outgoing
  if (delivery.type === 'webhook') await post(context, delivery, outgoing)
  if (delivery.type === 'email')
    await sendEmail(context, { to: delivery.to, subject: headline(message), text: `${textOf(message)}\n` })
  return delivery.type === 'channel' ? toChannel(context, delivery, message) : []
}

/** The channel retries on its own. */
async function toChannel(
  context: Context,
  { channel_id, to }: Extract<AlertDelivery, { type: 'channel' }>,
  message: Message,
): Promise<Statement[]> {
  const channel = await findChannel(context, channel_id)
  if (!channel) throw notFound(`The channel ${channel_id}`)
  const outgoing = { channel_id, markdown: textOf(message), ...(to && { to }) }
  return (await channelMessage(actingFor(context, channel.owner_id), outgoing)).statements
}

const timeout = 20 * second

async function post(
  context: Context,
  { url, sealed_secret }: Extract<AlertDelivery, { type: 'webhook' }>,
  { id, message: { event, at, ...data } }: Outgoing,
): Promise<void> {
  const safe = context.process.redaction.value(data)
  const body = JSON.stringify({ type: `alert.${event}`, timestamp: at, data: safe })
  const secrets = sealed_secret === null ? [] : [await context.secrets.open(sealed_secret, alertPurpose)]
  const timestamp = Math.floor(context.clock.now() / second)
  const signed = await signStandard(secrets, { id, timestamp, body })
  const headers = { 'content-type': 'application/json', ...signed }
  const response = await within(context, { milliseconds: timeout }, (signal) =>
    context.outbound.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
  )
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The receiver returned ${response.status}`)
}

export const headline = ({ event, name }: Message): string =>
  `${event === 'fired' ? 'Alert' : 'Resolved'}: ${name}`.replace(/\s+/g, ' ')

function textOf(message: Message): string {
  const { event, value, period_minutes, at, by } = message
  const ended = by === null ? 'The condition has cleared.' : `Resolved by ${by}.`
  return [
    headline(message),
    event === 'fired' ? 'The condition is met.' : ended,
    '',
    `Condition: ${summaryOf(message)}`,
    `Value: ${value === null ? 'unknown' : valueText(message, value)}`,
    `Period: ${period_minutes} min`,
    `Time: ${at}`,
  ].join('\n')
}
