import type { CDPSession, Page } from 'playwright'
import type { Frame } from '../../runtime/ports/browser.ts'
import type { Life } from './life.ts'
import { within } from './within.ts'

export interface FrameOptions {
  fps: number
  quality: number
  signal: AbortSignal
}

/** Milliseconds between two looks at which tab is the active one. */
const lookEvery = 250
/** Milliseconds of rest after which the page is looked at once more, for the last frame of a movement may be lost. */
const restAfter = 400
const shotLimit = 3_000

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
  let cast: { stop(): Promise<void> } | null = null
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

async function castOf(
  page: Page,
  options: FrameOptions,
  box: LatestFrame,
): Promise<{ stop(): Promise<void> }> {
  const session = await within(shotLimit, page.context().newCDPSession(page))
  if (!session) throw new Error('The page does not answer')
  let last = ''
  let rest: NodeJS.Timeout | undefined
  const shoot = async () => {
    const shot = await within(shotLimit, capture(session, options.quality)).catch(() => null)
    if (shot) box.put(frameOf(page, shot))
  }
  session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
    const acknowledge = () => session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
    setTimeout(acknowledge, 1_000 / options.fps)
    // A picture that is taken draws the page anew, and brings the same frame again.
    if (data === last) return
    last = data
    box.put(frameOf(page, data, metadata))
    clearTimeout(rest)
    rest = setTimeout(shoot, 1_000 / options.fps + restAfter)
  })
  await shoot()
  const { width, height } = sizeOf(page)
  const { quality } = options
  const wanted = { format: 'jpeg', quality, maxWidth: width, maxHeight: height } as const
  // A page with an open dialog answers when that is closed.
  await within(shotLimit, session.send('Page.startScreencast', wanted))
  return {
    async stop() {
      clearTimeout(rest)
      await within(shotLimit, session.detach()).catch(() => null)
    },
  }
}

/** The viewport in CSS pixels, whatever the density of the emulated screen. */
export async function capture(session: CDPSession, quality: number): Promise<string> {
  const { cssVisualViewport, visualViewport } = await session.send('Page.getLayoutMetrics')
  const { pageX, pageY, clientWidth, clientHeight } = cssVisualViewport
  const density = visualViewport.clientWidth / clientWidth || 1
  const clip = { x: pageX, y: pageY, width: clientWidth, height: clientHeight, scale: 1 / density }
  const shot = {
    format: 'jpeg',
    quality,
    optimizeForSpeed: true,
    ...(density === 1 ? {} : { clip }),
  } as const
  return (await session.send('Page.captureScreenshot', shot)).data
}

export const sizeOf = (page: Page): { width: number; height: number } =>
  page.viewportSize() ?? { width: 1280, height: 720 }

function frameOf(page: Page, data: string, metadata?: { deviceWidth: number; deviceHeight: number }): Frame {
  const told = metadata && { width: metadata.deviceWidth, height: metadata.deviceHeight }
  const { width, height } = page.viewportSize() ?? told ?? sizeOf(page)
  return { jpeg: Buffer.from(data, 'base64'), width, height, at: Date.now() }
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
