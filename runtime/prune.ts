import type { Host } from './host.ts'
import { day, iso } from './time.ts'
import { pruneWork } from './work/store.ts'

const keptWork = 7 * day

/** Deletes the expired rows of all areas. */
export async function pruneExpired(host: Host): Promise<void> {
  const expired = host.areas.map(async (area) => {
    try {
      return (await area.prune?.(host)) ?? []
    } catch (cause) {
      host.log.write('error', 'cannot delete expired data', { area: area.name, cause })
      return []
    }
  })
  const statements = (await Promise.all(expired)).flat()
  await host.sql.write([pruneWork(iso(host.clock.now() - keptWork)), ...statements], { long: true })
}
