import type { CDPSession, Page } from 'playwright'
import type { Frame, TabUser } from '../../runtime/ports/browser.ts'
import type { BrowserLifecycle } from './lifecycle.ts'
import { inTime } from './time-limit.ts'

export interface FrameOptions {
  fps: number
  quality: number
  signal: AbortSignal
  /** Who watches. */
  user?: TabUser | undefined
}

/** Milliseconds between checks for another active tab. */
const checkEvery = 250
const shotLimit = 3_000
/** Frames per second up to which the screencast is paused between frames. */
const maxPausedFps = 4

/**
 * Frames of the tab that is shown to a user: the first at once, then one after each change, which Chromium reports, so a still
 * page costs nothing. Keeps the browser open.
 */
export async function* frames(lifecycle: BrowserLifecycle, options: FrameOptions): AsyncGenerator<Frame> {
  const { fps, signal } = options
  const release = lifecycle.hold()
  const box = new LatestFrame()
  const wake = () => box.wake()
  signal.addEventListener('abort', wake)
  const following = follow(lifecycle, options, box)
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

/** Holds the newest frame. */
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

  /** Null once the signal is aborted. */
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

/** Keeps a screencast on the active tab. */
async function follow(lifecycle: BrowserLifecycle, options: FrameOptions, box: LatestFrame): Promise<void> {
  let visiblePage: Page | null = null
  let cast: Cast | null = null
  while (!options.signal.aborted) {
    const page = lifecycle.session?.tabs.visiblePage(options.user) ?? null
    if (page !== visiblePage) {
      await cast?.stop()
      visiblePage = page
      cast = page && !page.isClosed() ? await castOf(page, options, box).catch(() => null) : null
      if (!cast) visiblePage = null
    }
    await pause(checkEvery, options.signal)
  }
  await cast?.stop()
}

async function castOf(page: Page, options: FrameOptions, box: LatestFrame): Promise<Cast> {
  const session = await inTime(shotLimit, page.context().newCDPSession(page))
  if (!session) throw new Error('The page is not responding')
  const cast = options.fps > maxPausedFps ? new SteadyCast(session) : new PausingCast(session)
  try {
    await cast.start({ page, options, put: (frame) => box.put(frame) })
    return cast
  } catch (thrown) {
    await cast.stop()
    throw thrown
  }
}

/** Resolves early when the signal is aborted. */
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

/** Milliseconds without a frame after which a screenshot is taken. */
const restAfter = 400

export interface Casting {
  page: Page
  options: { fps: number; quality: number }
  put(frame: Frame): void
}

/** A screencast of one page. */
export interface Cast {
  start(casting: Casting): Promise<void>
  stop(): Promise<void>
}

interface Picture {
  data: string
  sessionId: number
  metadata: { deviceWidth: number; deviceHeight: number }
}

abstract class PageCast implements Cast {
  protected readonly session: CDPSession
  protected timer: NodeJS.Timeout | undefined
  protected casting!: Casting
  protected stopped = false
  #last = ''

  constructor(session: CDPSession) {
    this.session = session
  }

  async start(casting: Casting): Promise<void> {
    this.casting = casting
    this.session.on('Page.screencastFrame', (picture: Picture) => this.#see(picture))
    await this.begin()
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await inTime(shotLimit, this.session.detach()).catch(() => null)
  }

  #see(picture: Picture): void {
    // A screenshot renders the page, which sends the same frame again.
    const isNew = picture.data !== this.#last
    this.#last = picture.data
    if (isNew) this.casting.put(frameOf(this.casting.page, picture.data, picture.metadata))
    this.seen(picture, isNew)
  }

  protected abstract seen(picture: Picture, isNew: boolean): void

  /** A page with an open dialog does not respond until the dialog is closed. */
  protected async begin(): Promise<void> {
    const { page, options } = this.casting
    const { width, height } = sizeOf(page)
    const request = { format: 'jpeg', quality: options.quality, maxWidth: width, maxHeight: height } as const
    await inTime(shotLimit, this.session.send('Page.startScreencast', request))
  }

  protected acknowledge({ sessionId }: Picture): void {
    this.session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
  }

  protected async shoot(): Promise<void> {
    const { page, options, put } = this.casting
    const shot = await inTime(shotLimit, capture(this.session, options.quality)).catch(() => null)
    if (shot && !this.stopped) put(frameOf(page, shot))
  }
}

/**
 * For screen recordings: Chromium captures all the time, and sends a frame once the previous one is
 * acknowledged.
 */
export class SteadyCast extends PageCast {
  /** The screenshot of a page that is being replaced may never come, so nothing waits for it. */
  protected override async begin(): Promise<void> {
    void this.shoot()
    await super.begin()
  }

  protected seen(picture: Picture, isNew: boolean): void {
    const every = 1_000 / this.casting.options.fps
    setTimeout(() => this.acknowledge(picture), every)
    if (!isNew) return
    // The last frame of a movement can be lost.
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.shoot(), every + restAfter)
  }
}

/**
 * For watchers: Chromium captures every frame of a moving page, though it sends only a few, so it is stopped
 * after each new frame until the next is due. The first frame after a start comes at once; if it is the same,
 * the screencast continues until there is a change.
 */
export class PausingCast extends PageCast {
  #begun_at = 0
  #running = false

  protected override async begin(): Promise<void> {
    this.#running = true
    this.#begun_at = performance.now()
    this.timer = setTimeout(() => void this.shoot(), restAfter)
    await super.begin()
  }

  protected seen(picture: Picture, isNew: boolean): void {
    // Frames may arrive after it was stopped.
    if (!this.#running) return
    clearTimeout(this.timer)
    if (isNew) this.#pause()
    else this.acknowledge(picture)
  }

  #pause(): void {
    this.#running = false
    this.session.send('Page.stopScreencast').catch(() => undefined)
    const due = this.#begun_at + 1_000 / this.casting.options.fps - performance.now()
    this.timer = setTimeout(() => void this.#resume(), Math.max(due, 0))
  }

  /** A page that is being replaced cannot be captured until a moment later. */
  async #resume(): Promise<void> {
    try {
      await this.begin()
    } catch {
      clearTimeout(this.timer)
      if (!this.stopped) this.timer = setTimeout(() => void this.#resume(), restAfter)
    }
  }
}

/** A screenshot of the viewport in CSS pixels, whatever the pixel ratio of the emulated screen. */
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
  const captured = metadata && { width: metadata.deviceWidth, height: metadata.deviceHeight }
  const { width, height } = page.viewportSize() ?? captured ?? sizeOf(page)
  return { jpeg: Buffer.from(data, 'base64'), width, height, at: Date.now() }
}
