import type { Page, Request } from 'playwright'
import type { Action } from '../../../runtime/browser/schema.ts'
import { type Stage, usualTimeout, usualTimeouts } from './acts/act.ts'
import { acts } from './acts/index.ts'
import { toFailure } from './failure.ts'

/** Milliseconds for a page that an act has begun to open; a slower one goes on loading by itself. */
const openLimit = 10_000

/** Does one act. Throws `BrowserFailure`, or the reason of the signal. */
export async function perform(stage: Omit<Stage, 'until'>, signal?: AbortSignal): Promise<void> {
  const { page, action, dialogs } = stage
  if (action.action !== 'handle_dialog') dialogs.refuseWhileOpen(page)
  const until = Date.now() + timeoutOf(action)
  const opening = watchNavigation(page)
  try {
    const done = acts[action.action]({ ...stage, until })
    await orAborted(dialogs.orDialog(page, done), signal)
    if (opening.begun() && !dialogs.of(page)) await arrived(page)
  } catch (thrown) {
    signal?.throwIfAborted()
    throw toFailure(thrown)
  } finally {
    opening.stop()
  }
}

export const timeoutOf = ({ action, timeout_ms }: Action): number =>
  timeout_ms ?? usualTimeouts[action] ?? usualTimeout

/** Whether the act has made the page open another one. */
function watchNavigation(page: Page): { begun(): boolean; stop(): void } {
  let begun = false
  const see = (request: Request) => {
    begun ||= request.isNavigationRequest() && request.frame() === page.mainFrame()
  }
  page.on('request', see)
  return { begun: () => begun, stop: () => page.off('request', see) }
}

const arrived = (page: Page): Promise<void> =>
  page.waitForLoadState('domcontentloaded', { timeout: openLimit }).catch(() => undefined)

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
