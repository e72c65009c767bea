import type { BrowserContext, CDPSession, Page } from 'playwright'
import { within } from './within.ts'

/** Milliseconds that a window may take until it can be used. */
const openLimit = 5_000

/**
 * The windows that pages have asked for. Chromium says so at once, while the window itself is heard of only when it
 * has begun to load: an act that opened one waits for it here.
 */
export class Popups {
  #expected = 0
  #waiting: (() => void)[] = []

  attach(context: BrowserContext): void {
    this.#expected = 0
    context.on('page', (page) => {
      this.#arrived()
      void this.#watch(page).catch(() => undefined)
    })
  }

  async #watch(page: Page): Promise<void> {
    const session: CDPSession = await page.context().newCDPSession(page)
    session.on('Page.windowOpen', () => {
      this.#expected += 1
    })
    await session.send('Page.enable')
  }

  #arrived(): void {
    this.#expected = Math.max(this.#expected - 1, 0)
    if (this.#expected === 0) for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves when every window that was asked for is a tab. */
  async settled(): Promise<void> {
    if (this.#expected === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await within(openLimit, promise)
    this.#expected = 0
  }
}
