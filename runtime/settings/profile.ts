import { z } from 'zod'
import { isTimeZone } from '../time.ts'
import { type Section, subsetOf } from './section.ts'

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

export const ProfileChange = subsetOf(Profile)

/** The zone of the schedules follows the operator's until the profile names one. */
export const profile: Section<typeof Profile> = {
  name: 'profile',
  schema: Profile,
  kept_on_reset: true,
  defaults: (config) => ({ display_name: '', avatar_url: null, timezone: config.timezone, theme: 'system' }),
}
