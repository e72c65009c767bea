import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { browserChromium } from '../features/packs.ts'
import type { Host } from '../host.ts'
import {
  type Browser,
  BrowserCrashed,
  BrowserFailure,
  BrowserMissing,
  ScriptFailed,
} from '../ports/browser.ts'
import { readSetup } from './settings.ts'

/**
 * Does something with the browser as it is set up in this moment; what it refuses becomes a refusal of ours. Numbers of
 * snapshots are those of the caller, or of the `reader` that is named.
 */
export async function withBrowser<Result>(
  context: Host & Partial<Pick<Context, 'caller'>>,
  work: (browser: Browser) => Promise<Result>,
  reader = `${context.caller?.kind} ${context.caller?.id}`,
): Promise<Result> {
  try {
    await context.browser.configure(await readSetup(context))
    return await work(readBy(context.browser, reader))
  } catch (thrown) {
    throw refusalOf(thrown)
  }
}

const readBy = (browser: Browser, reader: string): Browser => ({
  ...browser,
  act: (action, options) => browser.act(action, { ...options, reader }),
  snapshot: (options) => browser.snapshot({ ...options, reader }),
  upload: (target, files) => browser.upload({ ...target, reader }, files),
})

/** What a caller is told; anything unknown is passed on as it is. */
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
