import type { Action } from '../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import { type Stage, usualTimeout, usualTimeouts } from './acts/act.ts'
import { acts } from './acts/index.ts'
import { toFailure } from './failure.ts'
import { watchNavigation } from './navigation.ts'
import { noteAct } from './settle.ts'

/** Does one act. Throws `BrowserFailure`, or the reason of the signal. */
export async function perform(stage: Omit<Stage, 'until'>, signal?: AbortSignal): Promise<void> {
  const { page, action, dialogs } = stage
  if (action.action !== 'handle_dialog') dialogs.refuseWhileOpen(page)
  const until = Date.now() + timeoutOf(action)
  const opening = await watchNavigation(page)
  try {
    const done = acts[action.action]({ ...stage, until })
    await orAborted(dialogs.orDialog(page, done), signal)
    await orAborted(dialogs.orDialog(page, opening.arrived()), signal)
  } catch (thrown) {
    signal?.throwIfAborted()
    throw inWordsOf(action, toFailure(thrown))
  } finally {
    opening.stop()
    noteAct(page)
  }
}

/** What moves to another page names no element that could have gone. */
function inWordsOf({ action }: Action, failure: BrowserFailure): BrowserFailure {
  if (failure.code !== 'stale_index' || !/^(goto|go_back|go_forward|reload)$/.test(action)) return failure
  const hint = 'Check the address, and whether the site can be reached from this machine'
  return new BrowserFailure('navigation_failed', 'The page could not be opened', hint)
}

export const timeoutOf = ({ action, timeout_ms }: Action): number =>
  timeout_ms ?? usualTimeouts[action] ?? usualTimeout

async function orAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  work.catch(() => undefined)
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
