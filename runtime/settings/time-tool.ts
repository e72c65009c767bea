import { z } from 'zod'
import { profile } from '../auth/profile.ts'
import { readSection } from '../sections/section.ts'
import { clockIn, iso, isTimeZone } from '../time.ts'
import { ToolError, tool } from '../tools/tool.ts'

export const time = tool({
  name: 'time',
  description:
    'The current date and time, here or in another zone. The notes tell you when your turn began: use this if minutes ' +
    'matter or another zone is asked for.',
  input: z.object({
    timezone: z.string().max(64).optional().describe('IANA zone such as Europe/Berlin; omit for the owner’s own'),
  }),
  summary: ({ timezone }) => (timezone ? `Look at the clock in ${timezone}` : 'Look at the clock'),
  async run({ timezone }, { context }) {
    const zone = timezone ?? (await readSection(context, profile)).timezone
    if (!isTimeZone(zone)) throw new ToolError(`There is no time zone ${zone}; use an IANA name such as Europe/Berlin`)
    const now = context.clock.now()
    return { iso: iso(now), timezone: zone, ...clockIn(zone, now) }
  },
})
