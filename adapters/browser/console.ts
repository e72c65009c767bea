import type { BrowserContext } from 'playwright'
import { hideInUrl } from '../../runtime/browser/credentials.ts'
import type { ConsoleLine } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Part } from './part.ts'

const mostLines = 1_000
const longestLine = 10_000

/** What pages wrote to their consoles last, and the errors that nobody caught. */
export class Console implements Part {
  readonly #clock: Clock
  #lines: ConsoleLine[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  attach(context: BrowserContext): void {
    context.on('console', (message) => {
      this.#add({ level: message.type(), text: message.text(), url: message.location().url || null })
    })
    context.on('weberror', (error) => {
      const { message } = error.error()
      this.#add({ level: 'error', text: message, url: error.page()?.url() ?? null })
    })
  }

  lines(): ConsoleLine[] {
    return [...this.#lines]
  }

  #add(line: Omit<ConsoleLine, 'at'>): void {
    const at = new Date(this.#clock.now()).toISOString()
    const text = hideInText(line.text.slice(0, longestLine))
    this.#lines.push({ ...line, text, url: line.url && hideInUrl(line.url), at })
    if (this.#lines.length > mostLines) this.#lines = this.#lines.slice(-mostLines)
  }
}

/** Chromium itself names addresses in what it reports. */
const hideInText = (text: string): string => text.replace(/\b(?:https?|wss?):\/\/[^\s'"<>`]+/g, hideInUrl)
