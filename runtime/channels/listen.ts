import { ZodError } from 'zod'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import { errorMessage } from '../thrown.ts'
import { hour, iso, minute, second } from '../time.ts'
import { cancelWork } from '../work/cancel.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { listWork } from '../work/select.ts'
import { guardLease } from '../work/store.ts'
import { findChannel, reportConnection, type StoredChannel, updateChannel } from './channel-store.ts'
import { arrivalOf, connect } from './connection.ts'
import { listenKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import { type Disconnection, type InboundMessage, type Listener, SendFailed } from './platform.ts'
import { storing } from './receive.ts'

/** Maximum wait between two attempts, in milliseconds. Discord allows 1,000 connections a day. */
const maxWait = 5 * minute
/** After a connection that was open for this long, in milliseconds, the next one is opened at once. */
const steady = 1 * minute
/** After this many consecutive failures, a session is not resumed: the platform has discarded what was missed. */
const maxResumes = 5

/**
 * Keeps a channel's connection open, or registers its webhook address with the platform if it has one. One unit is one connection; its lease makes sure that no other process has one too.
 * `sources.ts` queues the next unit when `poll_due_at` is reached.
 */
export const listen: WorkKind = {
  kind: listenKind,
  max_running: 100,
  after_crash: 'retry',
  async run(work, context) {
    const channel = await findChannel(context, work.subject)
    if (!channel?.enabled) return { status: 'succeeded' }
    const listener = new ChannelListener(context, work, channel)
    let title = ''
    try {
      const { platform, connection } = await connect(context, channel)
      title = platform.title
      listener.has_sessions = platform.has_sessions === true
      if (!platform.listen || arrivalOf(platform, connection) === 'webhook') {
        await platform.connect?.(connection, context)
        return listener.registered(platform.connect !== undefined)
      }
      return await listener.ended(await platform.listen(channel.cursor, connection, context, listener))
    } catch (thrown) {
      if (context.signal.aborted || thrown instanceof GuardFailed) throw thrown
      return await listener.failed(thrown, title)
    }
  },
  // Stopped because the channel was changed, or broken: the channel is connected again if it is enabled.
  ended: async ({ subject }, _, { clock }) => ({
    statements: [updateChannel(subject, { poll_due_at: iso(clock.now()) })],
  }),
}

/** Ends the connection of a channel that was changed or deleted. */
export async function stopListening(context: Context, channel: string): Promise<void> {
  for (const work of await listWork(context, { kind: listenKind, subject: channel }))
    await cancelWork(context, listen, work, 'The channel was changed')
}

/** Stores what one connection delivers, and how it ended. */
class ChannelListener implements Listener {
  readonly #context: Context
  readonly #work: Work
  /** As it was when the connection was opened. */
  readonly #channel: StoredChannel
  #connected_at: number | null = null
  /** Whether the stored position belongs to a session. */
  has_sessions = false

  constructor(context: Context, work: Work, channel: StoredChannel) {
    this.#context = context
    this.#work = work
    this.#channel = channel
  }

  async connected(cursor: string): Promise<void> {
    const { subject: channel_id } = this.#work
    this.#connected_at = this.#context.clock.now()
    await this.#context.commit(
      [...this.#position(cursor, { status: 'connected', last_error: null }), ...this.#logged('ok', 'Connected')],
      [event('channel.updated', { channel_id, status: 'connected' })],
    )
  }

  /** The platform sends messages to the webhook address. */
  registered(isProven: boolean): WorkOutcome {
    const { subject: channel_id } = this.#work
    const proven = { status: 'connected', last_error: null } as const
    return {
      status: 'succeeded',
      statements: [
        reportConnection(this.#channel, { poll_due_at: null, poll_failures: 0, ...(isProven && proven) }),
        ...(isProven ? this.#logged('ok', 'The webhook address is registered') : []),
      ],
      events: isProven ? [event('channel.updated', { channel_id, status: 'connected' })] : [],
    }
  }

  async receive(messages: readonly InboundMessage[], cursor: string): Promise<void> {
    const channel = await findChannel(this.#context, this.#work.subject)
    if (!channel?.enabled) return
    const statements = await storing(this.#context, channel, messages)
    // Most messages of a busy server are not for the bot.
    if (statements.length > 0) await this.#context.commit([...statements, ...this.#position(cursor)])
  }

  async alive(cursor: string): Promise<void> {
    await this.#context.commit(this.#position(cursor))
  }

  #position(cursor: string, change: Partial<StoredChannel> = {}) {
    return [guardLease(this.#context, this.#work), reportConnection(this.#channel, { ...change, cursor })]
  }

  #logged(outcome: 'ok' | 'error', detail: string) {
    return logEntry(this.#context, this.#work.subject, { direction: 'connection', outcome, detail })
  }

  /** How an orderly connection ended. Its channel stays connected until the next attempt fails. */
  ended({ reason, cursor, retry_after_seconds }: Disconnection): Promise<WorkOutcome> {
    const now = this.#context.clock.now()
    const opened = this.#connected_at
    const isSteady = opened !== null && now - opened >= steady
    if (retry_after_seconds === null) return this.#end({ reason, cursor, wait: null, maxFailures: 0 })
    return this.#end({
      reason,
      cursor,
      wait: retry_after_seconds * second,
      isSteady,
      maxFailures: opened === null ? 1 : Number.POSITIVE_INFINITY,
    })
  }

  /** The platform could not be reached, or something broke. */
  failed(thrown: unknown, title: string): Promise<WorkOutcome> {
    const message = errorMessage(thrown)
    const reason = thrown instanceof ZodError ? `${title} returned an unknown format` : message
    // A fault is a setting that a person must change, such as a missing credential; the change connects at once.
    const { is_permanent = thrown instanceof Fault, retry_after_seconds } = thrown instanceof SendFailed ? thrown : {}
    return this.#end({
      reason,
      wait: is_permanent ? hour : (retry_after_seconds ?? 0) * second,
      maxFailures: 0,
    })
  }

  /** Records the end and when the next connection is opened. */
  async #end(end: {
    reason: string
    /** Default: the stored one. */
    cursor?: string | null
    /** Minimum milliseconds until the next attempt; null if there is none. */
    wait: number | null
    isSteady?: boolean
    /** With more failures in a row, or a longer wait than usual, the channel has an error. */
    maxFailures: number
  }): Promise<WorkOutcome> {
    const { reason, wait, isSteady = false, maxFailures } = end
    const { subject: channel_id } = this.#work
    const channel = await findChannel(this.#context, channel_id)
    if (!channel) return { status: 'succeeded' }
    const failures = isSteady ? 0 : channel.poll_failures + 1
    const isOver = this.has_sessions && failures > maxResumes
    const cursor = end.cursor === undefined ? (isOver ? null : channel.cursor) : end.cursor
    const due = this.#context.clock.now() + Math.max(wait ?? 0, waitAfter(failures))
    const isError = failures > maxFailures || (wait ?? 0) > maxWait
    const { platform } = channel
    const isNew = isError && channel.status !== 'error'
    return {
      status: 'succeeded',
      statements: [
        reportConnection(this.#channel, {
          cursor,
          poll_due_at: wait === null ? null : iso(due),
          poll_failures: failures,
          ...(isError && { status: 'error', last_error: reason }),
        }),
        ...this.#logged(isError ? 'error' : 'ok', reason),
      ],
      events: [
        ...(isNew ? [event('channel.error', { channel_id, platform, error: reason })] : []),
        ...(isError ? [event('channel.updated', { channel_id, status: 'error' })] : []),
      ],
    }
  }
}

/** None after a steady connection, then 2, 4, 8 … seconds. */
const waitAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(maxWait, 2 ** Math.min(failures, 10) * second)
