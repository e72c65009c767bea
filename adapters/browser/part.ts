import type { BrowserContext } from 'playwright'

/** What watches the pages of the browser for as long as the daemon lives, through all its starts. */
export interface Part {
  /** Called for each new context, before it has a page: at a start, and when another identity was chosen. */
  attach(context: BrowserContext): void | Promise<void>
}
