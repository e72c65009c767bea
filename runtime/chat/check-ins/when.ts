import type { Host } from '../../host.ts'
import { dayAfter, dayLabel, startOfDay, zoneReader } from '../../monitoring/zoned.ts'
import { type ProactiveSettings, proactiveSettings } from '../../settings/proactive.ts'
import { profile } from '../../settings/profile.ts'
import { quietUntil } from '../../settings/quiet.ts'
import { readSection } from '../../settings/section.ts'
import { day, iso } from '../../time.ts'
import { countDelivered } from './store.ts'

export const mayCheckIn = ({ enabled, check_ins }: ProactiveSettings): boolean => enabled && check_ins

interface Day {
  zone: string
  now: number
  /** Check-ins delivered since the day began in that zone. */
  delivered: number
}

/** When a check-in that is due now may be delivered, in milliseconds since the epoch: now, or later. */
export function deliverAt(settings: ProactiveSettings, { zone, now, delivered }: Day): number {
  // A change of the settings looks at it anew; until then once a day is enough.
  if (!mayCheckIn(settings)) return now + day
  const full = delivered >= settings.max_per_day
  return quietUntil(settings.quiet_hours, zone, full ? tomorrow(zone, now) : now)
}

function tomorrow(zone: string, now: number): number {
  const read = zoneReader(zone)
  return startOfDay(dayAfter(dayLabel(read(now))), read)
}

/** `deliverAt` with what is stored. */
export async function nextDelivery(host: Host): Promise<number> {
  const [settings, { timezone }] = await Promise.all([
    readSection(host, proactiveSettings),
    readSection(host, profile),
  ])
  const now = host.clock.now()
  const read = zoneReader(timezone)
  const delivered = await countDelivered(host, iso(startOfDay(dayLabel(read(now)), read)))
  return deliverAt(settings, { zone: timezone, now, delivered })
}
