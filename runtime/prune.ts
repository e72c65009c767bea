import type { Host } from './host.ts'
import { day, iso } from './time.ts'
import { pruneWork } from './work/store.ts'

const every = day
const keptWork = 7 * day

/** Deletes expired rows at most once a day, and only while the host is busy anyway. */
export async function pruneSometimes(host: Host): Promise<void> {
  const now = host.clock.now()
  if (now - host.process.pruned_at < every) return
  host.process.pruned_at = now
  const own = await Promise.all(
    host.areas.map(async (area) => {
      try {
        return (await area.prune?.(host)) ?? []
      } catch (cause) {
        host.log.write('error', 'cannot delete what has expired', { area: area.name, cause })
        return []
      }
    }),
  )
  await host.sql.write([pruneWork(iso(now - keptWork)), ...own.flat()])
}
