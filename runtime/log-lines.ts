import type { Log, LogLine } from './ports/log.ts'

/** The minimum that is kept, if there is that much: search must not slow down with the number of lines. */
const kept = { lines: 2_000, characters: 1024 * 1024 }

export class LogLines {
  #lines: { line: LogLine; size: number }[] = []
  #characters = 0
  readonly #listeners = new Set<(line: LogLine) => void>()

  add(line: LogLine): void {
    const size = sizeOf(line)
    this.#lines.push({ line, size })
    this.#characters += size
    if (this.#lines.length > 2 * kept.lines || this.#characters > 2 * kept.characters) this.#shorten()
    this.publish(line)
  }

  /** Calls the listeners, without keeping the line. */
  publish(line: LogLine): void {
    for (const listener of this.#listeners) listener(line)
  }

  /** Dropping many lines at once is cheaper than one with each new line. */
  #shorten(): void {
    let [from, characters] = [this.#lines.length, 0]
    while (from > 0 && this.#lines.length - from < kept.lines && characters < kept.characters) {
      from -= 1
      characters += this.#lines[from]?.size ?? 0
    }
    this.#lines = this.#lines.slice(from)
    this.#characters = characters
  }

  readonly recent: Log['recent'] = async () => this.#lines.map(({ line }) => line)

  readonly follow: Log['follow'] = (listener) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const sizeOf = (line: LogLine): number =>
  JSON.stringify(line, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).length
