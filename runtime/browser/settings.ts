import { z } from 'zod'
import { requireAccess } from '../auth/authorise.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { BrowserSetup } from '../ports/browser.ts'
import { changeSection, readSection, type Section, subsetOf } from '../settings/section.ts'
import { BrowserConfig, BrowserProfile, Emulation } from './setup-schema.ts'

export const BrowserConfigChange = subsetOf(BrowserConfig)
export const BrowserProfileChange = subsetOf(BrowserProfile)

export const browserConfig: Section<typeof BrowserConfig> = {
  name: 'browser',
  schema: BrowserConfig,
  defaults: () => ({
    backend: 'managed',
    headless: true,
    auto_snapshot: false,
    snapshot_interval_ms: 1_000,
    stream_fps: 2,
    stream_quality: 60,
    ssrf_allowlist: [],
    ssrf_blocklist: [],
  }),
}

/** Who pages take the visitor for. */
export const browserProfile: Section<typeof BrowserProfile> = {
  name: 'browser_profile',
  schema: BrowserProfile,
  defaults: () => ({ user_agent: null, locale: null, timezone: null, color_scheme: null, geolocation: null }),
}

export const StoredEmulation = z.object({ emulation: Emulation.nullable() })

/** What device pages take the visitor for; kept whole, for the parts of one device do not fit another. */
export const browserEmulation: Section<typeof StoredEmulation> = {
  name: 'browser_emulation',
  schema: StoredEmulation,
  defaults: () => ({ emulation: null }),
}

export async function readSetup(host: Host): Promise<BrowserSetup> {
  const [config, profile, { emulation }] = await Promise.all([
    readSection(host, browserConfig),
    readSection(host, browserProfile),
    readSection(host, browserEmulation),
  ])
  return { config, profile, emulation: emulation ?? {} }
}

/** Puts another device in the place of the one before; `{}` takes it away. */
export async function changeEmulation(context: Context, emulation: Emulation): Promise<Emulation> {
  const empty = Object.keys(emulation).length === 0
  const stored = await changeSection(context, browserEmulation, { emulation: empty ? null : emulation })
  return stored.emulation ?? {}
}

/** The lists open this network to whoever drives the browser, so only administrators change them. */
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
