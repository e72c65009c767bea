import { z } from 'zod'
import { readRule } from '../outbound/targets.ts'
import { isTimeZone } from '../time.ts'

const Reach = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(253)
      .refine(
        (entry) => readRule(entry) !== null,
        'must be a host, *.host, an address, a network or host:port',
      ),
  )
  .max(1_000)

/** Settings and configuration share this shape. */
export const BrowserConfig = z.object({
  backend: z.enum(['managed']).meta({
    title: 'Browser',
    description: 'managed: a Chromium that hearthd starts when it is needed and stops when it is not',
  }),
  headless: z.boolean().meta({
    title: 'Without a window',
    description: 'A window needs a screen. Counts from the next start of the browser on',
  }),
  auto_snapshot: z.boolean().meta({
    title: 'Snapshot after every act',
    description: 'Each act answers with what the page then shows',
  }),
  snapshot_interval_ms: z.number().int().min(250).max(600_000).meta({
    title: 'Time between snapshots',
    description: 'Of a page that watches the browser',
    unit: 'milliseconds',
  }),
  stream_fps: z.number().min(0.1).max(2).meta({ title: 'Live view', unit: 'frames per second' }),
  stream_quality: z.number().int().min(1).max(100).meta({ title: 'Quality of the live view', unit: '%' }),
  ssrf_allowlist: Reach.meta({
    title: 'Private hosts that may be reached',
    description: 'Hosts, addresses or networks such as nas.lan or 192.168.1.0/24',
  }),
  ssrf_blocklist: Reach.meta({
    title: 'Hosts that may never be reached',
    description: 'Wins over the list of what may',
  }),
})
export type BrowserConfig = z.output<typeof BrowserConfig>

const isLocale = (name: string): boolean => {
  try {
    return Intl.getCanonicalLocales(name).length === 1
  } catch {
    return false
  }
}

/** Headers are made of it. */
const UserAgent = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[\x20-\x7e]+$/, 'must be plain ASCII')

export const BrowserProfile = z.object({
  user_agent: UserAgent.nullable().meta({ title: 'User agent' }),
  locale: z
    .string()
    .max(35)
    .refine(isLocale, 'must be a language tag such as de-AT')
    .nullable()
    .meta({ title: 'Language' }),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
    .nullable()
    .meta({ title: 'Time zone' }),
  color_scheme: z.enum(['light', 'dark', 'no-preference']).nullable().meta({ title: 'Colours' }),
  geolocation: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().min(0).max(1_000_000).default(0),
    })
    .nullable()
    .meta({ title: 'Place', description: 'What pages are told when they ask where they are' }),
})
export type BrowserProfile = z.output<typeof BrowserProfile>

/** A device by name, or its parts. */
export const Emulation = z
  .object({
    preset: z.string().max(100),
    viewport: z.object({
      width: z.number().int().min(100).max(7_680),
      height: z.number().int().min(100).max(7_680),
    }),
    device_scale_factor: z.number().min(0.25).max(5),
    is_mobile: z.boolean(),
    user_agent: UserAgent,
  })
  .partial()
export type Emulation = z.output<typeof Emulation>
