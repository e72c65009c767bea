import { commit } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import { iso, minute } from '../time.ts'
import { enqueueOnce, hasWork } from '../work/select.ts'
import type { WorkSource } from '../work/source.ts'
import { channelsToPoll, hasChannels, nextPoll, pollBy, updateChannel } from './channel-store.ts'
import { listenKind } from './kinds.ts'

/** Time after which a connection that was not opened is queued again, in milliseconds. */
const every = 1 * minute

/** Types of events that are sent to people on channels. */
export const announcedTypes = [
  'message.sent',
  'agent.run.failed',
  'approval.requested',
  'approval.resolved',
  'job.run.failed',
  'budget.warning',
  'budget.exceeded',
  'alert.fired',
  'channel.pairing.requested',
  'permission.digest',
] as const

/** Sends answers, approval requests and notifications to people on channels. */
export const announcements = consumeEvents({
  name: 'channels',
  retyped_by: ['channel.created', 'channel.updated', 'channel.deleted'],
  types: async (host) => ((await hasChannels(host)) ? announcedTypes : []),
  consume: async (events, host) => (await import('./announce.ts')).announceAll(events, host),
})

/** Opens the connections over which platforms send messages. */
export const connectionSource: WorkSource = {
  async queueDue(host) {
    const now = host.clock.now()
    const due = await channelsToPoll(host, iso(now))
    if (due.length === 0) return
    const queued = due.flatMap(({ id, owner_id }) => {
      const existing = hasWork({ kind: listenKind, subject: id })
      return [
        updateChannel(id, { poll_due_at: iso(now + every) }),
        enqueueOnce(
          host,
          { kind: listenKind, subject: id, owner_id, lane: `poll ${id}` },
          { per_subject: true, when: { ...existing, sql: `NOT ${existing.sql}` } },
        ),
      ]
    })
    await commit(host, queued)
  },
  nextDue: nextPoll,
  async clockSetBack(host) {
    await commit(host, [pollBy(iso(host.clock.now() + every))])
  },
}
