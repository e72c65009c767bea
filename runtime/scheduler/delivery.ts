import {
  createdEvent,
  draft,
  draftConversation,
  findConversation,
  findOwnConversation,
  guardPresent,
  insertConversation,
  insertMessage,
  NewConversation,
  recountMessages,
  refreshStatus,
  taintConversation,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault } from '../fault.ts'
import { ownValue } from '../own-value.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { sendEmail } from '../settings/index.ts'
import { errorWithCause } from '../thrown.ts'
import { iso } from '../time.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import { dropQueuedWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { emailAddresses, formatResult, headline, type JobRun, Undeliverable } from './delivery-format.ts'
import { findJob, findMark, setMark } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { deliveryKind } from './kinds.ts'
import { endDelivery, findRun, markDelivered, recordFailedDelivery, restartDelivery } from './run-store.ts'
import { requireRun } from './runs.ts'
import type { ShownRun } from './schema.ts'
import { deliverToWebhook } from './webhook.ts'

declare module '../host.ts' {
  interface Area {
    /** Loads the function that queues a message on one of the owner's channels. */
    channel_message?(): Promise<(context: Context, message: ChannelMessage) => Promise<WorkEnding>>
  }
}

interface ChannelMessage {
  channel_id: string
  markdown: string
  /** Default: the person paired with the channel. */
  to?: string
}

/** Delivers a result. Its return value belongs to the commit that marks the run delivered; errors are retried. */
type Channel = (context: Context, result: JobRun) => Promise<WorkEnding>

const channels: Readonly<Record<string, Channel>> = {
  chat: deliverToChat,
  email: deliverByEmail,
  webhook: deliverToWebhook,
}

/** Seconds before each further attempt. */
const delays = [5, 30, 120, 600, 3_600]

/** Delivers the result of a run. However often that fails, the run itself is not repeated. */
export const delivery: WorkKind = {
  kind: deliveryKind,
  max_running: 10,
  timeout_seconds: 60,
  retry: { max_attempts: delays.length + 1, delay_seconds: (attempt) => delays[attempt - 1] ?? 3_600 },
  after_crash: 'retry',
  async run({ subject }, context) {
    const run = await findRun(context, subject)
    const job = run && (await findJob(context, run.job_id))
    if (!job || run.delivery_status !== 'pending') return { status: 'succeeded' }
    const { channel } = job.delivery
    if (channel === 'none') return { status: 'succeeded', statements: [endDelivery(run.id, 'none')] }
    return deliver(context, { job, run })
  },
  async ended({ subject }, _, context) {
    const run = await findRun(context, subject)
    const job = run && (await findJob(context, run.job_id))
    const events = job ? [deliveryEvent('job.delivery.failed', { job, run }, run.delivery_error)] : []
    return { statements: [endDelivery(subject, 'failed')], events }
  },
}

async function deliver(context: Context, result: JobRun): Promise<WorkOutcome> {
  const { run, job } = result
  try {
    const ending = await (ownValue(channels, job.delivery.channel) ?? deliverOnChannel)(context, result)
    return {
      status: 'succeeded',
      statements: [markDelivered(run.id, iso(context.clock.now())), ...(ending.statements ?? [])],
      events: [...(ending.events ?? []), deliveryEvent('job.run.delivered', result)],
      ...(ending.announce && { announce: ending.announce }),
    }
  } catch (thrown) {
    if (context.signal.reason instanceof Stopping) throw thrown
    const error = errorWithCause(context.signal.aborted ? context.signal.reason : thrown)
    const recorded = recordFailedDelivery(run.id, error)
    if (thrown instanceof Undeliverable) {
      const statements = [recorded, endDelivery(run.id, 'failed')]
      const events = [deliveryEvent('job.delivery.failed', result, error)]
      return { status: 'failed', output: { error }, statements, events }
    }
    await context.commit([recorded])
    throw thrown
  }
}

/** Queues a message in the commit that marks the run delivered, so it is queued exactly once. */
async function deliverOnChannel(context: Context, result: JobRun): Promise<WorkEnding> {
  const { channel: channel_id, format, to } = result.job.delivery
  const text = formatResult(result) || 'The run ended without output.'
  const markdown = format === 'json' ? `\`\`\`json\n${text}\n\`\`\`` : text
  try {
    const message = { channel_id, markdown, to: to ?? undefined }
    const loaders = context.areas.flatMap(({ channel_message }) => channel_message ?? [])
    const [queue] = await Promise.all(loaders.map((load) => load()))
    if (!queue) throw new Undeliverable('There are no channels here')
    return { statements: (await queue(context, message)).statements }
  } catch (thrown) {
    if (thrown instanceof Fault) throw new Undeliverable(thrown.message)
    throw thrown
  }
}

const deliveryEvent = (
  type: 'job.delivery.failed' | 'job.run.delivered',
  { job, run }: JobRun,
  error: string | null = null,
) => event(type, { job_id: job.id, name: job.name, run_id: run.id, channel: job.delivery.channel, error })

async function deliverByEmail(context: Context, result: JobRun): Promise<WorkEnding> {
  const email = {
    to: emailAddresses(result.job.delivery.to),
    subject: headline(result).replace(/\s+/g, ' '),
    text: `${formatResult(result)}\n`,
  }
  try {
    await sendEmail(context, email)
  } catch (thrown) {
    if (thrown instanceof Fault || thrown instanceof OutboundBlocked) throw new Undeliverable(thrown.message)
    throw thrown
  }
  return {}
}

/**
 * Adds a message to the named conversation, or to one that the job keeps for its results. It is stored in the commit
 * that marks the run delivered, so it arrives exactly once.
 */
async function deliverToChat(context: Context, result: JobRun): Promise<WorkEnding> {
  const { job, run } = result
  const { id, statements, events } = await conversationFor(context, result)
  const text = formatResult(result) || 'The run ended without output.'
  const content = job.delivery.format === 'json' ? `\`\`\`json\n${text}\n\`\`\`` : text
  const message = draft(context, id, { role: 'assistant', content })
  const source = run.conversation_id === null ? null : await findConversation(context, run.conversation_id)
  const data = { conversation_id: id, message_id: message.id, job_id: job.id, run_id: run.id }
  return {
    statements: [
      ...statements,
      insertMessage(message),
      recountMessages(id),
      refreshStatus(id, iso(context.clock.now())),
      // Text that came from outside stays untrusted where it is delivered.
      ...((source?.tainted ?? run.started_id !== null) ? [taintConversation(id)] : []),
    ],
    events: [...events, { type: 'message.injected', data }],
  }
}

async function conversationFor(context: Context, { job }: JobRun) {
  const named = job.delivery.to ?? (await findMark(context, job.id, 'conversation'))
  const conversation = named === null ? null : await findOwnConversation(context, named)
  if (conversation) return { id: conversation.id, statements: [guardPresent(conversation.id)], events: [] }
  if (job.delivery.to !== null) throw new Undeliverable(`There is no conversation ${job.delivery.to}`)
  try {
    const wish = NewConversation.parse({ title: job.name, agent_id: job.agent_id ?? undefined })
    const conversation = await draftConversation(context, wish)
    const { id } = conversation
    const statements = [insertConversation(conversation), setMark(job.id, 'conversation', id)]
    return { id, statements, events: [createdEvent(conversation)] }
  } catch (thrown) {
    if (thrown instanceof Fault) throw new Undeliverable(thrown.message)
    throw thrown
  }
}

/** Delivers the result of a run again, with the job's current settings. The run is not repeated. */
export async function redeliver(context: Context, jobId: string, runId: string): Promise<ShownRun> {
  const job = await requireJob(context, jobId)
  const run = await requireRun(context, jobId, runId)
  if (job.delivery.channel === 'none') throw conflict('The job has no delivery channel: set one first')
  const restarted = { delivery_attempts: 0, delivery_error: null, delivered_at: null }
  const answer: ShownRun = { ...run, ...restarted, delivery_status: 'pending' }
  await context.commit(
    [
      restartDelivery(run.id),
      dropQueuedWork({ kind: deliveryKind, subject: run.id }),
      insertWork(context, { kind: deliveryKind, subject: run.id }).statement,
    ],
    [],
    { answer },
  )
  return answer
}
