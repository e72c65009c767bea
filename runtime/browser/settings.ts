import { z } from 'zod'
import { requireAccess } from '../auth/authorise.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { BrowserSetup } from '../ports/browser.ts'
import { subsetOf } from '../settings/merge.ts'
import { changeSection, defineSection, readSection } from '../settings/section.ts'
import { BrowserConfig, BrowserProfile, Emulation } from './setup-schema.ts'

export const BrowserConfigChange = subsetOf(BrowserConfig)
export const BrowserProfileChange = subsetOf(BrowserProfile)

export const browserConfig = defineSection({
  name: 'browser',
  title: 'the configuration of the browser',
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

/** Who pages take the visitor for. */
export const browserProfile = defineSection({
  name: 'browser_profile',
  title: 'the identity of the browser',
  schema: BrowserProfile,
  defaults: () => ({ user_agent: null, locale: null, timezone: null, color_scheme: null, geolocation: null }),
})

export const StoredEmulation = z.object({ emulation: Emulation.nullable() })

/** What device pages take the visitor for; kept whole, for the parts of one device do not fit another. */
export const browserEmulation = defineSection({
  name: 'browser_emulation',
  title: 'the emulated device of the browser',
  schema: StoredEmulation,
  defaults: () => ({ emulation: null }),
})

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
