import type { CDPSession, Page } from 'playwright'
import type { Frame } from '../../runtime/ports/browser.ts'
import { within } from './within.ts'

/** Milliseconds without a frame after which the page is looked at once more. */
const restAfter = 400
const shotLimit = 3_000

export interface Casting {
  page: Page
  options: { fps: number; quality: number }
  put(frame: Frame): void
}

/** What Chromium says of the looks of one page, as long as it is not stopped. */
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
    await within(shotLimit, this.session.detach()).catch(() => null)
  }

  #see(picture: Picture): void {
    // A picture that is taken draws the page anew, and brings the same frame again.
    const isNew = picture.data !== this.#last
    this.#last = picture.data
    if (isNew) this.casting.put(frameOf(this.casting.page, picture.data, picture.metadata))
    this.seen(picture, isNew)
  }

  protected abstract seen(picture: Picture, isNew: boolean): void

  /** A page with an open dialog answers when that is closed. */
  protected async begin(): Promise<void> {
    const { page, options } = this.casting
    const { width, height } = sizeOf(page)
    const wanted = { format: 'jpeg', quality: options.quality, maxWidth: width, maxHeight: height } as const
    await within(shotLimit, this.session.send('Page.startScreencast', wanted))
  }

  protected acknowledge({ sessionId }: Picture): void {
    this.session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
  }

  protected async shoot(): Promise<void> {
    const { page, options, put } = this.casting
    const shot = await within(shotLimit, capture(this.session, options.quality)).catch(() => null)
    if (shot && !this.stopped) put(frameOf(page, shot))
  }
}

/** For films: Chromium goes on all the time, and waits for us before it sends the next one. */
export class SteadyCast extends PageCast {
  /** A picture of a page that is just replaced by another may never come, and holds up no other. */
  protected override async begin(): Promise<void> {
    void this.shoot()
    await super.begin()
  }

  protected seen(picture: Picture, isNew: boolean): void {
    const every = 1_000 / this.casting.options.fps
    setTimeout(() => this.acknowledge(picture), every)
    if (!isNew) return
    // The last frame of a movement may be lost.
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.shoot(), every + restAfter)
  }
}

/**
 * For watchers: Chromium copies every picture of a page that moves, though it sends but a few, so after each new one it
 * is stopped until the next is due. The first one after a start comes at once; if it is the same, it goes on and waits
 * for a change.
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
    // Others may be on their way when it is stopped.
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

  /** A page that is just replaced by another takes no cast, and does a moment later. */
  async #resume(): Promise<void> {
    try {
      await this.begin()
    } catch {
      clearTimeout(this.timer)
      if (!this.stopped) this.timer = setTimeout(() => void this.#resume(), restAfter)
    }
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
