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

/** Does something with the browser as it is set up in this moment; what it refuses becomes a refusal of ours. */
export async function withBrowser<Result>(
  host: Host,
  work: (browser: Browser) => Promise<Result>,
): Promise<Result> {
  try {
    await host.browser.configure(await readSetup(host))
    return await work(host.browser)
  } catch (thrown) {
    throw refusalOf(thrown)
  }
}

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
