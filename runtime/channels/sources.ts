import { commit } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import { iso, minute } from '../time.ts'
import { enqueueOnce, hasWork } from '../work/select.ts'
import type { WorkSource } from '../work/source.ts'
import { channelsToPoll, hasChannels, nextPoll, pollBy, updateChannel } from './channel-store.ts'
import { platformOf } from './connection.ts'
import { listenKind, pollKind } from './kinds.ts'

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
  retyped_by: ['channel.created', 'channel.updated', 'channel.deleted'],
  types: async (host) => ((await hasChannels(host)) ? announcedTypes : []),
  consume: async (events, host) => (await import('./announce.ts')).announceAll(events, host),
})

/** Polls the platforms without webhooks, and opens the connections of those that keep one. */
export const pollSource: WorkSource = {
  async queueDue(host) {
    const now = host.clock.now()
    const due = await channelsToPoll(host, iso(now))
    if (due.length === 0) return
    const queued = due.map(async ({ id, owner_id, platform }) => {
      const kind = (await platformOf(host, platform)).listen ? listenKind : pollKind
      const existing = hasWork({ kind, subject: id })
      return [
        updateChannel(id, { poll_due_at: iso(now + every) }),
        enqueueOnce(
          host,
          { kind, subject: id, owner_id, lane: `poll ${id}` },
          { per_subject: true, when: { ...existing, sql: `NOT ${existing.sql}` } },
        ),
      ]
    })
    await commit(host, (await Promise.all(queued)).flat())
  },
  nextDue: nextPoll,
  async clockSetBack(host) {
    await commit(host, [pollBy(iso(host.clock.now() + every))])
  },
}
