import { z } from 'zod'
import { isTimeZone } from '../time.ts'

const isLocale = (name: string): boolean => {
  try {
    return Intl.getCanonicalLocales(name).length === 1
  } catch {
    return false
  }
}

/** Sent as a header. */
const UserAgent = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[\x20-\x7e]+$/, 'must be plain ASCII')

/** The visitor that pages see. Null: what Chromium would send. */
export const BrowserProfile = z.object({
  user_agent: UserAgent.nullable().meta({ title: 'User agent' }),
  locale: z.string().max(35).refine(isLocale, 'must be a language tag such as de-AT').nullable().meta({
    title: 'Language',
    description: 'A language tag such as de-AT. Default: the language of the interface, or en-US',
  }),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
    .nullable()
    .meta({ title: 'Time zone', format: 'timezone' }),
  color_scheme: z.enum(['light', 'dark', 'no-preference']).nullable().meta({ title: 'Color scheme' }),
  geolocation: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().min(0).max(1_000_000).default(0),
    })
    .nullable()
    .meta({ title: 'Share a location', description: 'With pages that ask for it' }),
})
export type BrowserProfile = z.output<typeof BrowserProfile>

/** A device preset, or its properties. */
export const Emulation = z
  .object({
    preset: z.string().max(100),
    viewport: z.object({
      width: z.int().min(100).max(7_680),
      height: z.int().min(100).max(7_680),
    }),
    device_scale_factor: z.number().min(0.25).max(5),
    is_mobile: z.boolean(),
    user_agent: UserAgent,
  })
  .partial()
export type Emulation = z.output<typeof Emulation>
