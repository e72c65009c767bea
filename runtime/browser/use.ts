import type { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault, invalidField } from '../fault.ts'
import { browserChromium } from '../features/index.ts'
import { type Browser, BrowserCrashed, BrowserFailure, BrowserMissing, ScriptFailed } from '../ports/browser.ts'
import { changeSection, readSection } from '../sections/section.ts'
import type { TabUser } from '../tabs/holder.ts'
import type { BrowserProfile, Emulation } from '../tabs/profile.ts'
import type { Action } from '../tabs/schema.ts'
import { holderOf } from './holder.ts'
import type { ActionResult } from './schema.ts'
import {
  type BrowserProfileChange,
  browserConfig,
  browserProfile,
  changeEmulation,
  nearestNames,
  readSetup,
} from './settings.ts'
import { browserLive } from './state.ts'

/**
 * Runs something with the browser under its current settings, and turns its errors into faults. The tabs and the profile
 * are those of the caller, if no other user is given.
 */
export async function withBrowser<Result>(
  context: Context,
  work: (browser: Browser) => Promise<Result>,
  user: TabUser = holderOf(context),
): Promise<Result> {
  try {
    await context.browser.configure(await readSetup(context))
    return await work(underControl(context.browser.as(user), context, user))
  } catch (thrown) {
    throw refusalOf(thrown)
  }
}

/** The browser with some methods replaced. A host may load the rest lazily, so they are not copied. */
const override = (browser: Browser, methods: Partial<Browser>): Browser =>
  Object.assign(Object.create(browser), methods)

/**
 * While a person is in control, whatever would change the pages of their agents and clients waits, unless a person asks
 * for it.
 */
function underControl(browser: Browser, context: Context, { owner_id }: TabUser): Browser {
  const { clock, caller, signal } = context
  if (caller.kind === 'session') return browser
  const free = () => browserLive(context).control.untilFree(owner_id, clock, signal)
  return override(browser, {
    act: (action, options) => free().then(() => browser.act(action, options)),
    download: (action, options) => free().then(() => browser.download(action, options)),
    upload: (target, files) => free().then(() => browser.upload(target, files)),
    openTab: (options) => free().then(() => browser.openTab(options)),
    closeTab: (id) => free().then(() => browser.closeTab(id)),
    activateTab: (id) => free().then(() => browser.activateTab(id)),
    restoreState: (state) => free().then(() => browser.restoreState(state)),
  })
}

/** The fault for an error of the browser; other errors are returned unchanged. */
export function refusalOf(thrown: unknown): unknown {
  if (thrown instanceof BrowserFailure) {
    const { code, hint, message } = thrown
    return new Fault(422, 'browser_failure', message, { extra: { code, hint } })
  }
  if (thrown instanceof ScriptFailed) return new Fault(422, 'script_failed', thrown.message)
  if (thrown instanceof BrowserMissing) return missing(thrown.message)
  if (thrown instanceof BrowserCrashed) return new Fault(503, 'unavailable', thrown.message)
  return thrown
}

const missing = (message: string) =>
  new Fault(503, 'unavailable', `${message}. Install the pack ${browserChromium}`, {
    extra: { pack: browserChromium, command: `hearthd features install ${browserChromium}` },
  })

/** Performs one act, with a snapshot afterwards if the settings say so. */
export function performAct(context: Context, action: Action): Promise<ActionResult> {
  return withBrowser(context, async (browser) => {
    const begun = context.clock.now()
    const result = await browser.act(action, { signal: context.signal })
    const duration_ms = context.clock.now() - begun
    const { auto_snapshot } = await readSection(context, browserConfig)
    const of = action.tab_id === undefined ? {} : { tab_id: action.tab_id }
    const view = auto_snapshot ? { snapshot: (await browser.snapshot(of)).snapshot } : {}
    return { success: true, action: action.action, ...result, duration_ms, ...view }
  })
}

/** Changes the browser identity; open pages are reloaded. */
export async function changeProfile(
  context: Context,
  change: z.output<typeof BrowserProfileChange>,
): Promise<BrowserProfile> {
  const profile = await changeSection(context, browserProfile, change)
  await apply(context)
  return profile
}

/** Replaces the emulated device; `{}` removes it. Refuses an unknown preset. */
export async function emulateDevice(context: Context, request: Emulation): Promise<Emulation> {
  const { preset } = request
  const presets = preset === undefined ? [] : await context.browser.presets()
  if (preset !== undefined && !presets.includes(preset)) throw unknown(preset, presets)
  const emulation = await changeEmulation(context, request)
  await apply(context)
  return emulation
}

async function apply(context: Context): Promise<void> {
  if (context.browser.status().running) await withBrowser(context, async () => undefined)
}

function unknown(preset: string, presets: readonly string[]) {
  const near = nearestNames(preset, presets)
  const names = near.length > 0 ? near : presets.slice(0, 5)
  return invalidField('preset', `is not a known device; known are ${names.join(', ')}`)
}
