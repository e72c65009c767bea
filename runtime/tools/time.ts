import { z } from 'zod'
import { iso, isTimeZone } from '../time.ts'
import { ToolError, tool } from './tool.ts'

export const time = tool({
  name: 'time',
  description:
    'The current date and time. Use it whenever an answer depends on today or now, since you do not know it. ' +
    'Returns the UTC time, the local time of the zone and the day of the week.',
  input: z.object({
    timezone: z
      .string()
      .max(64)
      .optional()
      .describe('IANA zone such as Europe/Berlin; omitted for the owner’s own'),
  }),
  summary: ({ timezone }) => (timezone ? `Look at the clock in ${timezone}` : 'Look at the clock'),
  async run({ timezone }, { context }) {
    const zone = timezone ?? context.config.timezone
    if (!isTimeZone(zone))
      throw new ToolError(`There is no time zone ${zone}; use an IANA name such as Europe/Berlin`)
    const now = new Date(context.clock.now())
    const local = now
      .toLocaleString('sv-SE', { timeZone: zone, timeZoneName: 'longOffset' })
      .replace('GMT', 'UTC')
    const weekday = now.toLocaleDateString('en-US', { timeZone: zone, weekday: 'long' })
    return { iso: iso(now.getTime()), local, timezone: zone, weekday }
  },
})
