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
  context: Host & Partial<Pick<Context, 'caller' | 'signal'>>,
  work: (browser: Browser) => Promise<Result>,
  reader = `${context.caller?.kind} ${context.caller?.id}`,
): Promise<Result> {
  try {
    await context.browser.configure(await readSetup(context))
    return await work(inTurn(readBy(context.browser, reader), context))
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

/** What would change a page waits while a person has it; what that person asks for beside does not. */
function inTurn(browser: Browser, { clock, process, caller, signal }: Host & Partial<Context>): Browser {
  if (caller?.kind === 'session') return browser
  const free = () => process.browser_live.hands.awaitFree(clock, signal)
  return {
    ...browser,
    act: (action, options) => free().then(() => browser.act(action, options)),
    upload: (target, files) => free().then(() => browser.upload(target, files)),
    openTab: (options) => free().then(() => browser.openTab(options)),
    closeTab: (id) => free().then(() => browser.closeTab(id)),
    activateTab: (id) => free().then(() => browser.activateTab(id)),
    restoreState: (state) => free().then(() => browser.restoreState(state)),
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
