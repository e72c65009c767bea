import { zoneReader } from '../monitoring/zoned.ts'
import { minute } from '../time.ts'
import type { QuietHours } from './proactive.ts'

/** Every offset there is, and every change of one, is a multiple of this. */
const quarter = 15 * minute
const quartersOfTwoDays = 2 * 24 * 4

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Whether a clock that shows `now` minutes after midnight is within the hours; `end` itself is not. */
function within({ start, end }: QuietHours, now: number): boolean {
  const [from, until] = [minutesOf(start), minutesOf(end)]
  return from < until ? from <= now && now < until : now >= from || now < until
}

/**
 * The first moment from `at` on that is not quiet, in milliseconds since the epoch; `at` itself when it is not. The
 * hours are those that a clock on the wall shows: an hour that a clock change skips is no quiet hour, and one that it
 * repeats is quiet both times.
 */
export function quietUntil(hours: QuietHours | null, zone: string, at: number): number {
  if (!hours) return at
  const read = zoneReader(zone)
  const quiet = (moment: number) => {
    const { hour, offset } = read(moment)
    return within(hours, hour * 60 + minuteOfHour(moment, offset))
  }
  if (!quiet(at)) return at
  let last = Math.floor(at / quarter) * quarter
  for (let tries = 0; quiet(last + quarter) && tries < quartersOfTwoDays; tries += 1) last += quarter
  const first = Math.max(Math.floor(at / minute) * minute, last) + minute
  for (let moment = first; moment < last + quarter; moment += minute) if (!quiet(moment)) return moment
  return last + quarter
}

/** Offsets are whole minutes today; those of the nineteenth century are of no concern here. */
const minuteOfHour = (moment: number, offset: number): number =>
  ((Math.floor(moment / minute + offset) % 60) + 60) % 60
