/** One event of a `text/event-stream`, as the HTML standard dispatches it (section 9.2.6). */
export interface ServerSentEvent {
  /** Last `id:` seen so far; empty while there was none. */
  id: string
  event: string
  data: string
}

/**
 * Reads a `text/event-stream` piece by piece; a piece may end anywhere, also between CR and LF.
 * Comments only keep a connection alive and are dropped.
 */
export class StreamParser {
  #line = ''
  #skipLineFeed = false
  #started = false
  #id = ''
  #event = ''
  #data: string[] = []

  /** The events that `text` completes. */
  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    for (const line of this.#lines(text)) {
      const event = this.#take(line)
      if (event) events.push(event)
    }
    return events
  }

  *#lines(text: string): Generator<string> {
    let rest = this.#started ? text : text.replace(/^\uFEFF/, '')
    if (text !== '') this.#started = true
    if (this.#skipLineFeed && rest !== '') {
      if (rest.startsWith('\n')) rest = rest.slice(1)
      this.#skipLineFeed = false
    }
    const ends = /\r\n|\n|\r/g
    let from = 0
    for (let end = ends.exec(rest); end; end = ends.exec(rest)) {
      const line = this.#line + rest.slice(from, end.index)
      this.#line = ''
      from = ends.lastIndex
      this.#skipLineFeed = end[0] === '\r' && from === rest.length
      yield line
    }
    this.#line += rest.slice(from)
  }

  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.#id = value
  }

  #dispatch(): ServerSentEvent | undefined {
    const event = this.#event || 'message'
    const data = this.#data
    this.#event = ''
    this.#data = []
    if (data.length > 0) return { id: this.#id, event, data: data.join('\n') }
  }
}
