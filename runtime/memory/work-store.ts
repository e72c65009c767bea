import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { dropQueuedWork, enqueueOnce } from '../work/select.ts'

/** Creates an episode from an exchange. The subject is the assistant's message. */
export const captureKind = 'memory.capture'
/** Embeds and indexes new and changed episodes. */
export const indexKind = 'memory.index'
/** A job that a person or the schedule starts: generate, consolidate, backfill. */
export const jobKind = 'memory.job'
/** Starts the scheduled consolidation. */
export const nightlyKind = 'memory.nightly'
/** Deletes episodes by the retention rules, and expired versions. */
export const retentionKind = 'memory.retention'

type Clock = Pick<Host, 'clock'>

const index = { kind: indexKind, subject: 'memory', lane: indexKind }

/**
 * Queues an index run, for the commit that adds or changes episodes. Call `host.process.wake()` after the commit. One
 * queued run is enough for any number of changes.
 */
export const queueIndex = (host: Clock): Statement => enqueueOnce(host, index)

const anyUnindexed = sql`EXISTS (SELECT 1 FROM vectors_pending) OR EXISTS (SELECT 1 FROM episodes WHERE pairs IS NULL)`

/** Queues an index run at startup if something is not indexed, for example after an upgrade or a crash. */
export const queueMissingIndex = (host: Clock): Statement => enqueueOnce(host, index, { when: anyUnindexed })

/** Queues a retention run for `due`, unless one is queued for that time or earlier. */
export const queueRetention = (host: Clock, due: number): Statement =>
  enqueueOnce(host, { kind: retentionKind, subject: 'memory', due }, { or_sooner: true })

export const queueNightly = (host: Clock, due: number): Statement =>
  enqueueOnce(host, { kind: nightlyKind, subject: 'memory', due })

/** Removes the queued consolidation after its schedule was changed. The next index run queues it again. */
export const dropNightly = (): Statement => dropQueuedWork({ kind: nightlyKind })
