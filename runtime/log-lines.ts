import type { Log, LogLine } from './ports/log.ts'

const kept = 2_000

/** The latest lines of a log, in memory, and its listeners. */
export class LogLines {
  readonly #lines: LogLine[] = []
  readonly #listeners = new Set<(line: LogLine) => void>()

  add(line: LogLine): void {
    this.#lines.push(line)
    if (this.#lines.length > 2 * kept) this.#lines.splice(0, kept)
    for (const listener of this.#listeners) listener(line)
  }

  readonly recent: Log['recent'] = async () => [...this.#lines]

  readonly follow: Log['follow'] = (listener) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
