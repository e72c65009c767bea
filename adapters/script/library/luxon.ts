import * as luxon from 'luxon'
import { define } from './host.ts'

const { DateTime, Duration, Interval } = luxon
/** Set by the items library. */
const { hearthdTime: time } = globalThis as { hearthdTime?: { zone: string; now(): number } }
if (time) {
  luxon.Settings.defaultZone = time.zone
  luxon.Settings.now = () => time.now()
}

for (const [name, value] of Object.entries({ DateTime, Duration, Interval, luxon })) define(name, value)
