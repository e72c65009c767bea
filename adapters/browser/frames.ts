import type { Page } from 'playwright'
import type { Frame } from '../../runtime/ports/browser.ts'
import { type Cast, PausingCast, SteadyCast } from './cast.ts'
import type { Life } from './life.ts'
import { within } from './within.ts'

export interface FrameOptions {
  fps: number
  quality: number
  signal: AbortSignal
}

/** Milliseconds between two looks at which tab is the active one. */
const lookEvery = 250
const shotLimit = 3_000
/** Frames per second up to which a cast is paused between two frames. */
const mostRestarts = 4

/**
 * Frames of the active tab, the first at once, then whenever something has changed; the browser stays open meanwhile.
 * Chromium itself says what has changed, so a page that stands still costs nothing.
 */
export async function* frames(life: Life, { fps, quality, signal }: FrameOptions): AsyncGenerator<Frame> {
  const release = life.hold()
  const box = new LatestFrame()
  const wake = () => box.wake()
  signal.addEventListener('abort', wake)
  const following = follow(life, { fps, quality, signal }, box)
  try {
    for (;;) {
      const frame = await box.next(signal)
      if (!frame) return
      yield frame
      await pause(1_000 / fps, signal)
    }
  } finally {
    signal.removeEventListener('abort', wake)
    release()
    await following
  }
}

/** Only the newest frame is of use to anybody. */
class LatestFrame {
  #frame: Frame | null = null
  #waiting = Promise.withResolvers<void>()

  put(frame: Frame): void {
    this.#frame = frame
    this.wake()
  }

  wake(): void {
    this.#waiting.resolve()
  }

  /** Null when the signal aborted. */
  async next(signal: AbortSignal): Promise<Frame | null> {
    for (;;) {
      if (signal.aborted) return null
      const frame = this.#frame
      this.#frame = null
      if (frame) return frame
      await this.#waiting.promise
      this.#waiting = Promise.withResolvers()
    }
  }
}

/** Keeps one screencast on whatever tab is active. */
async function follow(life: Life, options: FrameOptions, box: LatestFrame): Promise<void> {
  let shown: Page | null = null
  let cast: Cast | null = null
  while (!options.signal.aborted) {
    const page = life.session?.tabs.active ?? null
    if (page !== shown) {
      await cast?.stop()
      shown = page
      cast = page && !page.isClosed() ? await castOf(page, options, box).catch(() => null) : null
      if (!cast) shown = null
    }
    await pause(lookEvery, options.signal)
  }
  await cast?.stop()
}

async function castOf(page: Page, options: FrameOptions, box: LatestFrame): Promise<Cast> {
  const session = await within(shotLimit, page.context().newCDPSession(page))
  if (!session) throw new Error('The page does not answer')
  const cast = options.fps > mostRestarts ? new SteadyCast(session) : new PausingCast(session)
  try {
    await cast.start({ page, options, put: (frame) => box.put(frame) })
    return cast
  } catch (thrown) {
    await cast.stop()
    throw thrown
  }
}

/** Ends early, and in peace, when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  const abort = () => resolve()
  signal.addEventListener('abort', abort, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', abort)
}
