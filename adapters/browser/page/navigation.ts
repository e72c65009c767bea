import type { Frame, Page, Request } from 'playwright'
import { inTime, pause } from '../time-limit.ts'
import { callPage, sessionOf } from './isolated-world.ts'

/**
 * Milliseconds for a page that an act has begun to open; after that it continues loading in the background.
 */
const openLimit = 10_000
/** Milliseconds for images and styles, as some pages render themselves only once these have loaded. */
const loadLimit = 1_000
/** Milliseconds from the page's request for a navigation to its network request. */
const requestLimit = 250
/** Milliseconds to get the debugger session. */
const sessionLimit = 1_000

export interface NavigationWatch {
  /** Resolves when the page that the act opens is ready; at once if it opens none. */
  arrived(): Promise<void>
  stop(): void
}

/** Watches whether an act makes the page open another one. */
export async function watchNavigation(page: Page): Promise<NavigationWatch> {
  const session = await inTime(sessionLimit, sessionOf(page)).catch(() => null)
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let isRequested = false
  let request: Request | null = null
  const noteRequest = () => {
    isRequested = true
  }
  const start = (seen: Request) => {
    if (!seen.isNavigationRequest() || frameOf(seen) !== page.mainFrame()) return
    request = seen
    started.resolve()
  }
  const navigate = (frame: Frame) => {
    if (request && frame === page.mainFrame()) ended.resolve()
  }
  const fail = (failed: Request) => {
    if (failed === request) ended.resolve()
  }
  const close = () => ended.resolve()
  session?.on('Page.frameRequestedNavigation', noteRequest)
  page.on('request', start).on('framenavigated', navigate).on('requestfailed', fail).on('close', close)
  return {
    async arrived() {
      if (!request && isRequested) await inTime(requestLimit, started.promise)
      if (!request) return
      await inTime(openLimit, ended.promise)
      await documentReady(page, openLimit).catch(() => undefined)
      await documentReady(page, loadLimit, 'load').catch(() => undefined)
    },
    stop() {
      session?.off('Page.frameRequestedNavigation', noteRequest)
      page.off('request', start).off('framenavigated', navigate).off('requestfailed', fail).off('close', close)
    },
  }
}

/**
 * Resolves when the document of a page is ready, or with `load` its images and styles too. Playwright does
 * not notice a document whose loading was interrupted, for example by a script that navigates to another
 * program's URL scheme.
 */
export async function documentReady(
  page: Page,
  timeout: number,
  state: 'domcontentloaded' | 'load' = 'domcontentloaded',
): Promise<void> {
  const loaded = page.waitForLoadState(state, { timeout })
  const session = await inTime(sessionLimit, sessionOf(page)).catch(() => null)
  const stopped = Promise.withResolvers<void>()
  const look = () =>
    void callPage(page, 'isLoaded').then(
      (complete) => complete && stopped.resolve(),
      () => undefined,
    )
  session?.on('Page.frameStoppedLoading', look)
  look()
  try {
    await Promise.race([loaded, stopped.promise])
  } finally {
    session?.off('Page.frameStoppedLoading', look)
    loaded.catch(() => undefined)
  }
}

const inFlight = new WeakMap<Page, Set<Request>>()

/** Follows the requests of a page from its first one on. An event source never ends, so it does not count. */
export function watchRequests(page: Page): void {
  const requests = new Set<Request>()
  inFlight.set(page, requests)
  const end = (request: Request) => void requests.delete(request)
  page.on('request', (request) => {
    if (request.isNavigationRequest() && frameOf(request) === page.mainFrame()) requests.clear()
    if (request.resourceType() !== 'eventsource') requests.add(request)
  })
  page.on('requestfinished', end).on('requestfailed', end)
}

/** Milliseconds without a request until the network counts as idle. */
const idleTime = 500

/** Resolves once a page has had no request for a while. False if that takes longer than `timeout`. */
export async function networkIdle(page: Page, timeout: number): Promise<boolean> {
  const until = Date.now() + timeout
  let idle_since = Date.now()
  while (Date.now() - idle_since < idleTime) {
    if (Date.now() >= until || page.isClosed()) return false
    await pause(50)
    if ((inFlight.get(page)?.size ?? 0) > 0) idle_since = Date.now()
  }
  return true
}

/** A request of a worker, or of a page that has closed, has no frame. */
export function frameOf(request: Request): Frame | null {
  try {
    return request.frame()
  } catch {
    return null
  }
}
