import { commit } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import { iso, minute } from '../time.ts'
import { enqueueOnce } from '../work/select.ts'
import type { WorkSource } from '../work/source.ts'
import { channelsToPoll, hasChannels, nextPoll, pollBy, updateChannel } from './channel-store.ts'
import { pollKind } from './kinds.ts'

/** Milliseconds between two requests for the new messages of a platform. */
export const every = 1 * minute

/** The events that are sent to people on channels. */
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

/** Sends what happens in hearthd to the people on channels: answers, questions for approval, notifications. */
export const announcements = consumeEvents({
  name: 'channels',
  types: async (host) => ((await hasChannels(host)) ? announcedTypes : []),
  consume: async (events, host) => (await import('./announce.ts')).announceAll(events, host),
})

/** Asks the platforms that do not call us. */
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
