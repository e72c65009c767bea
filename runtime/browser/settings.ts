import { z } from 'zod'
import { requireAccess } from '../auth/authorise.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { readRule } from '../outbound/targets.ts'
import type { BrowserSetup } from '../ports/browser.ts'
import { interfaceSettings } from '../sections/interface.ts'
import { subsetOf } from '../sections/merge.ts'
import { changeSection, defineSection, readSection } from '../sections/section.ts'
import { BrowserProfile, Emulation } from '../tabs/profile.ts'
import { defaultLocale } from '../tabs/schema.ts'
import { readCredentials } from './http-credentials.ts'

const Reach = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(253)
      .refine((entry) => readRule(entry) !== null, 'must be a host, *.host, an address, a network or host:port'),
  )
  .max(1_000)

/** Settings and configuration share this shape. */
export const BrowserConfig = z.object({
  backend: z.enum(['managed']).meta({
    title: 'Browser',
    description: 'Managed: hearthd starts Chromium when needed and stops it when idle',
  }),
  headless: z.boolean().meta({
    title: 'Headless',
    description: 'Runs without a window. Applies from the next start of the browser',
  }),
  auto_snapshot: z.boolean().meta({
    title: 'Snapshot after each action',
    description: 'Each action returns a snapshot of the page',
  }),
  snapshot_interval_ms: z.int().min(250).max(600_000).meta({
    title: 'Snapshot delay',
    description: 'The browser page takes a new snapshot this long after your last action',
    unit: 'milliseconds',
  }),
  stream_fps: z.number().min(0.1).max(2).meta({ title: 'Live view frame rate', unit: 'frames per second' }),
  stream_quality: z.int().min(1).max(100).meta({ title: 'Live view quality', unit: '%' }),
  ssrf_allowlist: Reach.meta({
    title: 'Allowed private hosts',
    description: 'Hosts, addresses or networks such as nas.lan or 192.168.1.0/24',
  }),
  ssrf_blocklist: Reach.meta({
    title: 'Blocked hosts',
    description: 'Takes precedence over the allowed hosts',
  }),
})
export type BrowserConfig = z.output<typeof BrowserConfig>

export const BrowserConfigChange = subsetOf(BrowserConfig)
export const BrowserProfileChange = subsetOf(BrowserProfile)

export const browserConfig = defineSection({
  name: 'browser',
  title: 'the browser settings',
  schema: BrowserConfig,
  defaults: (): BrowserConfig => ({
    backend: 'managed',
    headless: true,
    auto_snapshot: false,
    snapshot_interval_ms: 1_000,
    stream_fps: 2,
    stream_quality: 60,
    ssrf_allowlist: [],
    ssrf_blocklist: [],
  }),
})

export const browserProfile = defineSection({
  name: 'browser_profile',
  title: 'the browser identity',
  schema: BrowserProfile,
  defaults: () => ({ user_agent: null, locale: null, timezone: null, color_scheme: null, geolocation: null }),
})

export const StoredEmulation = z.object({ emulation: Emulation.nullable() })

/** The emulated device. Stored as a whole, as the properties of one device do not fit another. */
export const browserEmulation = defineSection({
  name: 'browser_emulation',
  title: 'the emulated device',
  schema: StoredEmulation,
  defaults: () => ({ emulation: null }),
})

export async function readSetup(host: Host): Promise<BrowserSetup> {
  const [config, profile, { emulation }, { language }, credentials] = await Promise.all([
    readSection(host, browserConfig),
    readSection(host, browserProfile),
    readSection(host, browserEmulation),
    readSection(host, interfaceSettings),
    readCredentials(host),
  ])
  const locale = profile.locale ?? (language === 'system' ? defaultLocale : language)
  return { config, profile: { ...profile, locale }, emulation: emulation ?? {}, credentials }
}

/** Replaces the emulated device; `{}` removes it. */
export async function changeEmulation(context: Context, emulation: Emulation): Promise<Emulation> {
  const empty = Object.keys(emulation).length === 0
  const stored = await changeSection(context, browserEmulation, { emulation: empty ? null : emulation })
  return stored.emulation ?? {}
}

/** Only administrators change the host lists, as they open this network to everyone who uses the browser. */
export async function changeConfig(
  context: Context,
  change: z.output<typeof BrowserConfigChange>,
): Promise<BrowserConfig> {
  const lists = change.ssrf_allowlist !== undefined || change.ssrf_blocklist !== undefined
  if (lists) requireAccess('admin', context)
  const config = await changeSection(context, browserConfig, change)
  if (context.browser.status().running) await context.browser.configure(await readSetup(context))
  return config
}

const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+|\d+/g) ?? []

/** The names that share the most words with the given one, best first. */
export function nearestNames(name: string, names: readonly string[], max = 5): string[] {
  const nameWords = words(name)
  const scored = names.map((name) => {
    const own = words(name)
    const shared = nameWords.filter((word) => own.includes(word)).length
    return { name, score: shared - own.length / 100 }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, max)
    .map(({ name }) => name)
}
