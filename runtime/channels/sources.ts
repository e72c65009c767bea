import { commit } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import { iso, minute } from '../time.ts'
import { enqueueOnce } from '../work/select.ts'
import type { WorkSource } from '../work/source.ts'
import { channelsToPoll, hasChannels, nextPoll, pollBy, updateChannel } from './channel-store.ts'
import { pollKind } from './kinds.ts'

/** Polling interval in milliseconds. */
export const every = 1 * minute

/** Types of events that are sent to people on channels. */
export const announcedTypes = [
  'message.sent',
  'agent.run.failed',
  'approval.requested',
  'job.run.failed',
  'budget.warning',
  'budget.exceeded',
  'alert.fired',
  'channel.pairing.requested',
] as const

/** Sends answers, approval requests and notifications to people on channels. */
export const announcements = consumeEvents({
  name: 'channels',
  types: async (host) => ((await hasChannels(host)) ? announcedTypes : []),
  consume: async (events, host) => (await import('./announce.ts')).announceAll(events, host),
})

/** Polls the platforms that do not send webhooks. */
export const pollSource: WorkSource = {
  async queueDue(host) {
    const now = host.clock.now()
    const due = await channelsToPoll(host, iso(now))
    if (due.length === 0) return
    await commit(
      host,
      due.flatMap(({ id, owner_id }) => [
        updateChannel(id, { poll_due_at: iso(now + every) }),
        enqueueOnce(
          host,
          { kind: pollKind, subject: id, owner_id, lane: `poll ${id}` },
          { per_subject: true },
        ),
      ]),
    )
  },
  nextDue: nextPoll,
  async clockSetBack(host) {
    await commit(host, [pollBy(iso(host.clock.now() + every))])
  },
}
