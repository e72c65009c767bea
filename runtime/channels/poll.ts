import { event } from '../events/event.ts'
import { errorMessage } from '../thrown.ts'
import { hour, iso } from '../time.ts'
import type { WorkKind } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import { findChannel, reportConnection } from './channel-store.ts'
import { connect } from './connection.ts'
import { pollKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import { storeMessages } from './receive.ts'
import { every } from './sources.ts'

/** Fetches the new messages of a channel. Failures increase the interval, up to an hour. */
export const poll: WorkKind = {
  kind: pollKind,
  max_running: 5,
  timeout_seconds: 300,
  after_crash: 'retry',
  async run({ subject }, context) {
    const channel = await findChannel(context, subject)
    if (!channel?.enabled) return { status: 'succeeded' }
    try {
      const { platform, connection } = await connect(context, channel)
      if (!platform.poll) return { status: 'succeeded' }
      const { messages, cursor } = await platform.poll(channel.cursor, connection, context)
      const due = iso(context.clock.now() + every)
      const changed =
        cursor !== channel.cursor || channel.poll_failures > 0 || channel.status !== 'connected'
          ? [
              reportConnection(channel, {
                ...{ cursor, poll_due_at: due, poll_failures: 0 },
                ...{ status: 'connected', last_error: null },
              }),
            ]
          : []
      await storeMessages(context, channel, messages, changed)
      return { status: 'succeeded' }
    } catch (thrown) {
      if (context.signal.reason instanceof Stopping) throw thrown
      const error = errorMessage(thrown)
      const failures = channel.poll_failures + 1
      const wait = Math.min(hour, every * 2 ** Math.min(failures, 10))
      const { platform } = channel
      return {
        status: 'succeeded',
        statements: [
          reportConnection(channel, {
            ...{ poll_failures: failures, poll_due_at: iso(context.clock.now() + wait) },
            ...{ status: 'error', last_error: error },
          }),
          ...logEntry(context, subject, { direction: 'inbound', outcome: 'error', detail: error }),
        ],
        events: failures === 1 ? [event('channel.error', { channel_id: subject, platform, error })] : [],
      }
    }
  },
}
