import { type ChatEvent, chatEvent } from './chat-event.ts'
import { readStream } from './read-stream.ts'

export interface FollowerParts {
  /** The stream of the turn that runs, from where the last one broke off; without a body when nothing runs. */
  attach(signal: AbortSignal): Promise<Response>
  /** Reads what is stored. False when that failed. */
  refresh(): Promise<boolean>
  /** Whether there is, or may be, something to follow. */
  runs(): boolean
  /** Takes events once per picture, in their order. */
  apply(events: readonly ChatEvent[]): void
  /** The daemon knows of no turn. */
  nothingRuns(): void
  link(state: 'none' | 'live' | 'lost'): void
  /** Why a stream could not be had. */
  failed(error: unknown): void
  frame(draw: () => void): void
  pause(time: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds between two tries: doubled each time. */
const firstPause = 300
const longestPause = 8_000

type Outcome = 'ended' | 'cut' | 'nothing'

/** Follows turn after turn until none is left, one stream at a time. */
export class Follower {
  readonly #parts: FollowerParts
  #events: ChatEvent[] = []
  #drawing = false
  #active = false
  #lastEnd = ''

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  get active(): boolean {
    return this.#active
  }

  /** Reads `first`, and then whatever runs; to the end of all turns or of `signal`. */
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

  /** Applies what has arrived, without waiting for the next picture. */
  flush(): void {
    const events = this.#events
    if (events.length === 0) return
    this.#events = []
    this.#parts.apply(events)
  }

  /** Reads one stream, and says whether it ended a turn, was cut after some events, or brought none. */
  async #read(signal: AbortSignal, response: Response | undefined): Promise<Outcome> {
    let outcome: Outcome = 'nothing'
    try {
      const { body } = response ?? (await this.#parts.attach(signal))
      if (!body) this.#parts.nothingRuns()
      else this.#parts.link('live')
      for await (const batch of body ? readStream(body, signal) : []) {
        const events = batch.map(chatEvent).filter((event) => event !== null)
        for (const event of events) outcome = this.#after(event, outcome)
        this.#events.push(...events)
        this.#draw()
      }
    } catch (error) {
      this.#parts.failed(error)
    } finally {
      this.flush()
    }
    return outcome
  }

  /** A last word that is told again is no news: what follows it must not be asked for at once again. */
  #after(event: ChatEvent, before: Outcome): Outcome {
    const ends = event.event === 'done' || event.event === 'error'
    const isNews = ends && event.id !== this.#lastEnd
    if (ends) this.#lastEnd = event.id
    return isNews || before === 'ended' ? 'ended' : 'cut'
  }

  #draw(): void {
    if (this.#drawing) return
    this.#drawing = true
    this.#parts.frame(() => {
      this.#drawing = false
      this.flush()
    })
  }
}
