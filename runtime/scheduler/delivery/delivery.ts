import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import { iso } from '../../time.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { findJob } from '../job-store.ts'
import { deliveryKind } from '../kinds.ts'
import { findRun } from '../run-store.ts'
import { type Channel, type Parcel, Undeliverable } from './channel.ts'
import { chat } from './chat.ts'
import { email } from './email.ts'
import { markDelivered, markFailed, markUndelivered, noteFailedTry } from './store.ts'
import { webhook } from './webhook.ts'

const channels: Partial<Record<string, Channel>> = { chat, email, webhook }

/** Seconds before each further try. */
const pauses = [5, 30, 120, 600, 3_600]

/** Brings what came of a run to where its job says. However often it fails, the run is not run again. */
export const delivery: WorkKind = {
  kind: deliveryKind,
  max_running: 10,
  timeout_seconds: 60,
  retry: { max_attempts: pauses.length + 1, delay_seconds: (attempt) => pauses[attempt - 1] ?? 3_600 },
  after_crash: 'retry',
  async run({ subject }, context) {
    const run = await findRun(context, subject)
    const job = run && (await findJob(context, run.job_id))
    if (!job || run.delivery_status !== 'pending') return { status: 'succeeded' }
    const { channel } = job.delivery
    if (channel === 'none') return { status: 'succeeded', statements: [markUndelivered(run.id)] }
    return deliver(context, { job, run })
  },
  async ended(work, _, context) {
    return { statements: [markFailed(work.subject)], events: await failedEvents(context, work) }
  },
}

async function deliver(context: Context, parcel: Parcel): Promise<WorkOutcome> {
  const { run, job } = parcel
  try {
    const ending = await (channels[job.delivery.channel] ?? unknown)(context, parcel)
    const delivered = markDelivered(run.id, iso(context.clock.now()))
    return {
      status: 'succeeded',
      statements: [delivered, ...(ending.statements ?? [])],
      events: [...(ending.events ?? []), told('job.run.delivered', parcel)],
    }
  } catch (thrown) {
    if (context.signal.reason instanceof Stopping) throw thrown
    const cause: unknown = context.signal.aborted ? context.signal.reason : thrown
    const error = messageOf(cause)
    const noted = noteFailedTry(run.id, error)
    if (thrown instanceof Undeliverable) {
      const events = [told('job.delivery.failed', parcel, error)]
      return { status: 'failed', output: { error }, statements: [noted, markFailed(run.id)], events }
    }
    await context.commit([noted])
    throw thrown
  }
}

const unknown: Channel = async (_, { job }) => {
  throw new Undeliverable(`${job.delivery.channel} is no channel: channels are not set up`)
}

/** `fetch failed` alone tells nobody why. */
function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message
}

async function failedEvents(context: Context, { subject }: Work): Promise<EventInput[]> {
  const run = await findRun(context, subject)
  const job = run && (await findJob(context, run.job_id))
  return job ? [told('job.delivery.failed', { job, run }, run.delivery_error)] : []
}

const told = (type: string, { job, run }: Parcel, error: string | null = null): EventInput => ({
  type,
  data: { job_id: job.id, name: job.name, run_id: run.id, channel: job.delivery.channel, error },
})
