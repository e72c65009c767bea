import type { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { changeSection } from '../settings/section.ts'
import { nearestNames } from './nearest.ts'
import { type BrowserProfileChange, browserProfile, changeEmulation } from './settings.ts'
import type { BrowserProfile, Emulation } from './setup-schema.ts'
import { withBrowser } from './use.ts'

/** Who pages take the visitor for, from now on; the pages that are open are loaded anew. */
export async function changeProfile(
  context: Context,
  change: z.output<typeof BrowserProfileChange>,
): Promise<BrowserProfile> {
  const profile = await changeSection(context, browserProfile, change)
  await apply(context)
  return profile
}

/** Another device in the place of the one before; `{}` is none. Throws for a name that no device has. */
export async function emulateDevice(context: Context, wanted: Emulation): Promise<Emulation> {
  const { preset } = wanted
  const presets = preset === undefined ? [] : await context.browser.presets()
  if (preset !== undefined && !presets.includes(preset)) throw unknown(preset, presets)
  const emulation = await changeEmulation(context, wanted)
  await apply(context)
  return emulation
}

async function apply(context: Context): Promise<void> {
  if (context.browser.status().running) await withBrowser(context, async () => undefined)
}

function unknown(preset: string, presets: readonly string[]) {
  const near = nearestNames(preset, presets)
  const names = near.length > 0 ? near : presets.slice(0, 5)
  return invalidField('preset', `is no known device; there are ${names.join(', ')}`)
}
