import { type ChatEvent, readStream } from './stream.ts'

export interface FollowerParts {
  /** The stream of the running turn, resumed after the last event; without a body when nothing runs. */
  attach(signal: AbortSignal): Promise<Response>
  /** Loads what is stored. False when that failed. */
  refresh(): Promise<boolean>
  /** Whether a turn runs or may run. */
  runs(): boolean
  /** Receives the events in order, once per animation frame. */
  apply(events: readonly ChatEvent[]): void
  /** Called when the daemon has no running turn. */
  nothingRuns(): void
  link(state: 'none' | 'live' | 'lost'): void
  /** Called when a stream could not be opened or broke. */
  failed(error: unknown): void
  frame(render: () => void): void
  pause(time: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds between two attempts: doubled each time. */
const firstPause = 300
const longestPause = 8_000

type Outcome = 'ended' | 'cut' | 'nothing'

/** Follows turn after turn until none is running, one stream at a time. */
export class Follower {
  readonly #parts: FollowerParts
  #events: ChatEvent[] = []
  #scheduled = false
  #active = false
  #lastEnd = ''

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  get active(): boolean {
    return this.#active
  }

  /** Reads `first`, then any running turn, until no turn runs or `signal` aborts. */
  async follow(signal: AbortSignal, first?: Response): Promise<void> {
    if (this.#active) return
    this.#active = true
    let pause = firstPause
    let response = first
    while (!signal.aborted) {
      const outcome = await this.#read(signal, response)
      response = undefined
      if (signal.aborted) break
      if (outcome !== 'nothing') pause = firstPause
      const fresh = await this.#parts.refresh()
      if (!this.#parts.runs()) break
      if (outcome === 'ended' && fresh) continue
      this.#parts.link('lost')
      await this.#parts.pause(pause, signal)
      pause = Math.min(pause * 2, longestPause)
    }
    this.#active = false
    this.#parts.link('none')
  }

  /** Applies what has arrived without waiting for the next frame. */
  flush(): void {
    const events = this.#events
    if (events.length === 0) return
    this.#events = []
    this.#parts.apply(events)
  }

  /** Reads one stream. The outcome is whether it ended a turn, broke after some events, or had none. */
  async #read(signal: AbortSignal, response: Response | undefined): Promise<Outcome> {
    let outcome: Outcome = 'nothing'
    try {
      const { body } = response ?? (await this.#parts.attach(signal))
      if (!body) this.#parts.nothingRuns()
      else this.#parts.link('live')
      for await (const events of body ? readStream(body, signal) : []) {
        for (const event of events) outcome = this.#outcomeAfter(event, outcome)
        this.#events.push(...events)
        this.#schedule()
      }
    } catch (error) {
      this.#parts.failed(error)
    } finally {
      this.flush()
    }
    return outcome
  }

  /** A repeated final event is not a new end: the follower must then wait before it reconnects. */
  #outcomeAfter(event: ChatEvent, before: Outcome): Outcome {
    const ends = event.event === 'done' || event.event === 'error'
    const isNew = ends && event.id !== this.#lastEnd
    if (ends) this.#lastEnd = event.id
    return isNew || before === 'ended' ? 'ended' : 'cut'
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#parts.frame(() => {
      this.#scheduled = false
      this.flush()
    })
  }
}
