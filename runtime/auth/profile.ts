import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { defineSection, readSection } from '../sections/section.ts'
import { clockIn, isTimeZone } from '../time.ts'
import { systemCaller } from './caller.ts'

export const avatarPath = '/api/settings/avatar/'

const AvatarUrl = z
  .string()
  .max(2_000)
  .refine(
    (url) => url.startsWith(avatarPath) || /^https?:\/\/[^\s]+$/.test(url),
    'must be an uploaded avatar or an http(s) URL',
  )

export const Profile = z.object({
  display_name: z.string().trim().max(100),
  avatar_url: AvatarUrl.nullable(),
  timezone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin'),
  theme: z.enum(['light', 'dark', 'system']),
})
export type Profile = z.output<typeof Profile>

/** The operator's time zone applies until the profile names one. */
export const profile = defineSection({
  name: 'profile',
  title: 'the profile',
  per_user: true,
  schema: Profile,
  kept_on_reset: true,
  defaults: ({ timezone }): Profile => {
    return { display_name: '', avatar_url: null, timezone, theme: 'system' }
  },
})

/** The time zone in which the caller's days begin. */
export const callerTimeZone = async (host: Host & Partial<Pick<Context, 'caller'>>) =>
  (await readSection(host, profile)).timezone

/** The first administrator's time zone, which applies to everything that is shared. */
export const daemonTimeZone = (host: Host) => callerTimeZone({ ...host, caller: systemCaller })

/** The date and time on a clock, by default the caller's, for a model that plans or judges. */
export async function describeNow(context: Context, timezone?: string): Promise<string> {
  const zone = timezone ?? (await callerTimeZone(context))
  const { local, weekday } = clockIn(zone, context.clock.now())
  return `Now: ${weekday}, ${local} (${zone}).`
}
