import type { Frame, Page, Request } from 'playwright'
import { askPage } from './apart.ts'
import { within } from './view.ts'
import { sessionOf } from './worlds.ts'

/** Milliseconds for a page that an act has begun to open; a slower one goes on loading by itself. */
const openLimit = 10_000
/** Milliseconds for the pictures and styles of a document that is there: some pages draw themselves only then. */
const loadLimit = 1_000
/** Milliseconds from the wish of a page to open another one until it is asked for. */
const askLimit = 250
/** Milliseconds to begin to watch. */
const watchLimit = 1_000

export interface Opening {
  /** Resolves when the page that the act has made the browser open is there; at once when there is none. */
  arrived(): Promise<void>
  stop(): void
}

/** Watches whether an act makes the page open another one. */
export async function watchNavigation(page: Page): Promise<Opening> {
  const session = await within(watchLimit, sessionOf(page))
  const asked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let wished = false
  let request: Request | null = null
  const wish = () => {
    wished = true
  }
  const see = (seen: Request) => {
    if (!seen.isNavigationRequest() || frameOf(seen) !== page.mainFrame()) return
    request = seen
    asked.resolve()
  }
  const come = (frame: Frame) => {
    if (request && frame === page.mainFrame()) ended.resolve()
  }
  const fail = (failed: Request) => {
    if (failed === request) ended.resolve()
  }
  const close = () => ended.resolve()
  session?.on('Page.frameRequestedNavigation', wish)
  page.on('request', see).on('framenavigated', come).on('requestfailed', fail).on('close', close)
  return {
    async arrived() {
      if (!request && wished) await within(askLimit, asked.promise)
      if (!request) return
      await within(openLimit, ended.promise)
      await standing(page, openLimit).catch(() => undefined)
      await standing(page, loadLimit, 'load').catch(() => undefined)
    },
    stop() {
      session?.off('Page.frameRequestedNavigation', wish)
      page.off('request', see).off('framenavigated', come).off('requestfailed', fail).off('close', close)
    },
  }
}

/**
 * Resolves when the document of a page is there, or with `load` its pictures and styles too. The driver is not told of
 * one whose loading was broken off, such as by its own script that led to the address of another program.
 */
export async function standing(
  page: Page,
  timeout: number,
  state: 'domcontentloaded' | 'load' = 'domcontentloaded',
): Promise<void> {
  const loaded = page.waitForLoadState(state, { timeout })
  const session = await within(watchLimit, sessionOf(page))
  const stopped = Promise.withResolvers<void>()
  const look = () =>
    void askPage(page, () => document.readyState === 'complete').then(
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

/** A request of a worker, or of a page that has closed, has no frame. */
function frameOf(request: Request): Frame | null {
  try {
    return request.frame()
  } catch {
    return null
  }
}
