import { pruneEvents } from './events/commit.ts'
import type { Host } from './host.ts'
import { day, iso } from './time.ts'
import { pruneWork } from './work/store.ts'

const every = day
const keptWork = 7 * day
/** Events beyond the ring of the bus are for those who were away: webhooks, another daemon, a person who looks. */
const keptEvents = 7 * day

/** Deletes rows that nobody will ask for, once a day at most, and only on a host that is busy anyway. */
export async function pruneSometimes(host: Host): Promise<void> {
  const now = host.clock.now()
  if (now - host.process.pruned_at < every) return
  host.process.pruned_at = now
  const own = await Promise.all(host.areas.map((area) => area.prune?.(host) ?? []))
  await host.sql.write([pruneWork(iso(now - keptWork)), pruneEvents(iso(now - keptEvents)), ...own.flat()])
}
