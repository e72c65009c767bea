import type { Host } from '../host.ts'
import { GuardFailed, type Statement, StoreUnavailable } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { longestWaitOf } from '../tick-times.ts'
import type { WorkSource } from '../work/source.ts'
import { commit, eventsAfter, latestEvent, type StoredEvent } from './commit.ts'
import { moveCursor, storedCursor } from './consumer-store.ts'
import type { EventInput } from './event.ts'
import { matchesType } from './pattern.ts'
import { onEvents } from './subscribe.ts'

const batch = 200
const maxBatches = 10
/**
 * Milliseconds after which the outbox is read although no event has come: what a process has committed that died since,
 * another one handles.
 */
const reread = (host: Host) => longestWaitOf(host)
/** Attempts to process a failing batch. After that, events are processed one by one and those that fail are skipped. */
const maxTries = 3
/** Unmatched events after which the cursor is stored, so that a restart does not read them again. */
const maxUnstored = 1_000

/** Rows and events to commit with the cursor, and a callback to run after the commit. */
export interface Consumed {
  statements?: Statement[]
  events?: EventInput[]
  announce?(): void
}

/** A consumer of the outbox that misses no event. */
export interface EventConsumer {
  name: string
  /** The types it currently needs; `job.*` matches a prefix. Read before each batch. */
  types(host: Host): Promise<readonly string[]>
  /** Types or patterns of the events after which it needs other types. */
  retyped_by: readonly string[]
  /**
   * Processes events of these types, oldest first. The result is committed together with the cursor, so each event takes
   * effect once. A consumer that makes its own commits must detect events that it receives again after a crash.
   */
  consume(events: readonly StoredEvent[], host: Host): Promise<Consumed | undefined>
}

class Reader {
  /** Patterns of the last batch; other events do not wake the tick. */
  types: readonly string[] = []
  /** The last event that was read; null until the stored cursor has been read. */
  position: number | null = null
  stored = 0
  read_at = Number.NEGATIVE_INFINITY
  is_pending = true
  is_subscribed = false
  /** Failures since the last successful batch. */
  failures = 0
}

/**
 * A durable consumer of the outbox, for the `sources` of its area. An event wakes the tick; a tick without new events of
 * its types reads and writes nothing.
 */
export function consumeEvents(definition: EventConsumer): WorkSource {
  const reader = processState(() => new Reader())
  return {
    queueDue: (host) => readOutbox(host, definition, reader(host)),
    // What failed is tried again.
    nextDue: async (host) => (reader(host).failures > 0 ? reader(host).read_at + reread(host) : null),
    clockSetBack: async () => undefined,
  }
}

async function readOutbox(host: Host, consumer: EventConsumer, reader: Reader): Promise<void> {
  if (!reader.is_subscribed) subscribe(host, consumer, reader)
  const now = host.clock.now()
  // Keep working after the clock was set back.
  if (Math.abs(now - reader.read_at) >= reread(host)) reader.is_pending = true
  if (!reader.is_pending) return
  reader.is_pending = false
  reader.read_at = now
  try {
    for (let count = 0; count < maxBatches; count += 1) if (!(await readBatch(host, consumer, reader))) return
    reader.is_pending = true
    host.process.wake()
  } catch (thrown) {
    reader.position = null
    if (thrown instanceof StoreUnavailable) throw thrown
    reader.failures += 1
    // Another process has processed these events.
    if (thrown instanceof GuardFailed) reader.is_pending = true
    else host.log.write('error', 'cannot process events', { consumer: consumer.name, cause: thrown })
  }
}

function subscribe(host: Host, { retyped_by }: EventConsumer, reader: Reader): void {
  reader.is_subscribed = true
  onEvents(host, host.process.stopping, ({ type, foreign }) => {
    // The process that has committed an event handles it; two at once would only be in each other's way.
    const patterns = foreign ? retyped_by : [...reader.types, ...retyped_by]
    if (!patterns.some((pattern) => matchesType(pattern, type))) return
    reader.is_pending = true
    host.process.wake()
  })
}

/** Whether there may be more events. */
async function readBatch(host: Host, consumer: EventConsumer, reader: Reader): Promise<boolean> {
  // The order matters: subscriptions are stored before the events they match.
  const latest = await latestEvent(host)
  reader.types = await consumer.types(host)
  if (reader.position === null || host.process.shared) {
    reader.stored = await storedCursor(host, consumer.name)
    reader.position = Math.max(reader.position ?? 0, reader.stored)
  }
  if (latest <= reader.position) return false
  const limit = reader.failures < maxTries ? batch : 1
  const events =
    reader.types.length === 0
      ? []
      : await eventsAfter(host, reader.position, { types: reader.types, limit, to: latest })
  const isFull = events.length === limit
  const position = isFull ? (events.at(-1)?.seq ?? latest) : latest
  await advance(host, { consumer, reader, events, position })
  if (!isFull || limit > 1) reader.failures = 0
  return isFull
}

interface Step {
  consumer: EventConsumer
  reader: Reader
  events: readonly StoredEvent[]
  /** The last event of this batch. */
  position: number
}

async function advance(host: Host, { consumer, reader, events, position }: Step): Promise<void> {
  let consumed: Consumed | undefined
  const move = () => moveCursor(consumer.name, reader.stored, position)
  if (events.length > 0) {
    try {
      consumed = await consumer.consume(events, host)
      await commit(host, [...move(), ...(consumed?.statements ?? [])], consumed?.events)
    } catch (thrown) {
      if (thrown instanceof StoreUnavailable || reader.failures < maxTries) throw thrown
      // An event that always fails must not block the ones after it.
      const { name: consumed_by } = consumer
      host.log.write('error', 'skipped an event', { consumer: consumed_by, id: events[0]?.id, cause: thrown })
      await commit(host, move())
      reader.failures = 0
    }
    reader.stored = position
  } else if (position - reader.stored >= maxUnstored) {
    await commit(host, move())
    reader.stored = position
  }
  reader.position = position
  consumed?.announce?.()
}
