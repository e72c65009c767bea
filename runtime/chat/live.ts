import type { ServerEvent } from '../http/sse.ts'
import type { StreamEvents } from './stream-events.ts'

/** Ended turns whose events are kept a while, for clients that were away for the last words. */
const keptAfterEnd = 16
/** Characters of all that is kept of ended turns. Whoever asks for more is told the stored message again. */
const mostKept = 2_000_000

/** What a turn has said so far, so that any number of clients can follow it from any place. */
export class TurnLog {
  readonly message_id: string
  readonly #epoch: string
  readonly #events: Omit<ServerEvent, 'id'>[] = []
  #ended = false
  #size = 0
  #wake = Promise.withResolvers<void>()

  constructor(messageId: string, epoch: string) {
    this.message_id = messageId
    this.#epoch = epoch
  }

  get ended(): boolean {
    return this.#ended
  }

  get length(): number {
    return this.#events.length
  }

  /** Characters of what it holds, without the few that each event needs. */
  get size(): number {
    return this.#size
  }

  get empty(): boolean {
    return this.#events.length === 0
  }

  emit<Name extends keyof StreamEvents>(event: Name, data: StreamEvents[Name]): void {
    if (this.#ended) return
    this.#events.push({ event, data })
    this.#size += 'content' in data ? data.content.length : JSON.stringify(data).length
    this.#ended = event === 'done' || event === 'error'
    this.#wakeFollowers()
  }

  /** Events after the first `after`, then new ones as they come, to the end of the turn or of `signal`. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
    const wake = () => this.#wakeFollowers()
    signal.addEventListener('abort', wake)
    try {
      for (let next = after; ; ) {
        for (let event = this.#events[next]; event; event = this.#events[next]) {
          next += 1
          yield { id: `${this.message_id}.${this.#epoch}.${next}`, ...event }
        }
        if (this.#ended || signal.aborted) return
        await this.#wake.promise
      }
    } finally {
      // A signal that is listened to lives as long as its sources, one of which is the whole process.
      signal.removeEventListener('abort', wake)
    }
  }

  #wakeFollowers(): void {
    const woken = this.#wake
    this.#wake = Promise.withResolvers<void>()
    woken.resolve()
  }

  /** How many events a client has that saw `lastEventId`; null when the id is of another log. */
  position(lastEventId: string): number | null {
    const [message, epoch, number] = lastEventId.split('.')
    const count = Number(number)
    if (message !== this.message_id || epoch !== this.#epoch || !Number.isInteger(count)) return null
    return Math.min(Math.max(count, 0), this.#events.length)
  }
}

/** The logs of the turns that this process runs, or ran lately. */
export class LiveTurns {
  readonly #logs = new Map<string, TurnLog>()
  readonly #epoch: string
  #opened = 0

  /** @param epoch differs from process to process, so that an id of an earlier one is recognised */
  constructor(epoch: string) {
    this.#epoch = epoch
  }

  find(messageId: string): TurnLog | undefined {
    return this.#logs.get(messageId)
  }

  open(messageId: string): TurnLog {
    const known = this.#logs.get(messageId)
    if (known) return known
    this.#forgetEnded()
    // A log that is opened anew numbers its events anew, so an id of the old one must not fit.
    this.#opened += 1
    const log = new TurnLog(messageId, `${this.#epoch}-${this.#opened}`)
    this.#logs.set(messageId, log)
    return log
  }

  #forgetEnded(): void {
    const latest = [...this.#logs.values()].filter((log) => log.ended).reverse()
    let size = 0
    for (const [index, log] of latest.entries()) {
      size += log.size
      if (index >= keptAfterEnd || size > mostKept) this.#logs.delete(log.message_id)
    }
  }
}
