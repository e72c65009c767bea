import type { Page } from 'playwright'
import { sumOf } from '../../runtime/numbers.ts'
import type { Video as Recorded, TabUser } from '../../runtime/ports/browser.ts'
import { frames, sizeOf } from './frames.ts'
import type { BrowserLifecycle } from './lifecycle.ts'
import { scriptOf } from './page/script-bundle.ts'
import type { Studio, StudioOptions } from './page-script/studio.ts'
import { inTime } from './time-limit.ts'

export interface VideoOptions {
  max_seconds: number
  format?: 'webm' | 'mp4'
  /** Whose tab is recorded. */
  user?: TabUser | undefined
}

/** Frames per second of a moving page. */
const fps = 12
/** Milliseconds after which the last frame of a still page is repeated. */
const repeatEvery = 500
const quality = 80
const bitsPerSecond = 1_500_000
/** Milliseconds for the studio to finish the video. */
const endLimit = 20_000
const drawLimit = 5_000
/** Seconds; the length of a recording that was stopped at once. */
const shortest = 0.2

/** Screen recordings, one at a time. */
export class ScreenRecorder {
  readonly #lifecycle: BrowserLifecycle
  #recording: Recording | null = null

  constructor(lifecycle: BrowserLifecycle) {
    this.#lifecycle = lifecycle
  }

  /** Discards a running recording. */
  async start(options: VideoOptions): Promise<void> {
    await this.#recording?.end().catch(() => null)
    this.#recording = null
    this.#recording = await Recording.open(this.#lifecycle, options)
  }

  /** Null if none was started, or the browser has exited. */
  async stop(): Promise<Recorded | null> {
    const recording = this.#recording
    this.#recording = null
    return (await recording?.end().catch(() => null)) ?? null
  }
}

class Recording {
  readonly #studio: Page
  readonly #chunks: Buffer[]
  readonly #begun = Date.now()
  readonly #cut = new AbortController()
  readonly #limit: NodeJS.Timeout
  readonly #capturing: Promise<void>
  readonly #lifecycle: BrowserLifecycle
  readonly #user: TabUser | undefined
  #drawn = false
  #ended: Promise<Recorded | null> | null = null

  private constructor(
    lifecycle: BrowserLifecycle,
    parts: { studio: Page; chunks: Buffer[] } & Pick<VideoOptions, 'max_seconds' | 'user'>,
  ) {
    this.#lifecycle = lifecycle
    this.#user = parts.user
    this.#studio = parts.studio
    this.#chunks = parts.chunks
    this.#limit = setTimeout(() => void this.end().catch(() => null), parts.max_seconds * 1_000)
    this.#capturing = this.#run(lifecycle, parts.user).catch(() => undefined)
  }

  static open(
    lifecycle: BrowserLifecycle,
    { max_seconds, format = 'webm', user }: VideoOptions,
  ): Promise<Recording> {
    return lifecycle.use(async (session) => {
      const { width, height } = sizeOf(session.tabs.shown(user) ?? (await session.page(undefined, user)))
      const context = await session.browser.newContext({ offline: true })
      try {
        const studio = await context.newPage()
        const chunks: Buffer[] = []
        await studio.exposeBinding('sendVideo', (_, base64: string) => {
          chunks.push(Buffer.from(base64, 'base64'))
        })
        // Encoders need even dimensions.
        const size = { width: width - (width % 2), height: height - (height % 2) }
        const given: StudioOptions = {
          ...size,
          format,
          bits_per_second: bitsPerSecond,
          repeat_ms: repeatEvery,
        }
        await studio.evaluate(
          `${scriptOf('studio')}\nglobalThis.studio = new hearthd.Studio(${JSON.stringify(given)})`,
        )
        return new Recording(lifecycle, { studio, chunks, max_seconds, user })
      } catch (thrown) {
        await context.close().catch(() => undefined)
        throw thrown
      }
    })
  }

  async #run(lifecycle: BrowserLifecycle, user: TabUser | undefined): Promise<void> {
    for await (const { jpeg } of frames(lifecycle, { fps, quality, signal: this.#cut.signal, user }))
      await this.#draw(jpeg)
  }

  async #draw(jpeg: Uint8Array): Promise<void> {
    this.#drawn = true
    const drawing = this.#studio.evaluate(
      (base64) => (globalThis as unknown as StudioPage).studio.draw(base64),
      Buffer.from(jpeg).toString('base64'),
    )
    await inTime(drawLimit, drawing).catch(() => null)
  }

  /** A recording stopped before its first frame shows the page as it is. */
  async #drawLast(): Promise<void> {
    if (this.#drawn) return
    const picture = async () =>
      this.#lifecycle.session?.tabs
        .shown(this.#user)
        ?.screenshot({ type: 'jpeg', quality, timeout: drawLimit })
    const jpeg = await inTime(drawLimit, picture()).catch(() => null)
    if (jpeg) await this.#draw(jpeg)
  }

  end(): Promise<Recorded | null> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<Recorded | null> {
    clearTimeout(this.#limit)
    const duration_seconds = Math.max(shortest, (Date.now() - this.#begun) / 1_000)
    this.#cut.abort()
    await this.#capturing
    await this.#drawLast()
    try {
      const finish = this.#studio.evaluate(() => (globalThis as unknown as StudioPage).studio.finish())
      const mimeType = await inTime(endLimit, finish)
      if (mimeType === null) return null
      const bytes = Buffer.concat(this.#chunks)
      const format = mimeType.startsWith('video/mp4') ? 'mp4' : 'webm'
      return {
        format,
        duration_seconds,
        bytes: format === 'webm' ? withDuration(bytes, duration_seconds) : bytes,
      }
    } finally {
      await this.#studio
        .context()
        .close()
        .catch(() => undefined)
    }
  }
}

interface StudioPage {
  studio: Studio
}

/** Element ids: https://www.matroska.org/technical/elements.html */
const segment = 0x18538067
const info = 0x1549a966
const duration = 0x4489

interface Element_ {
  id: number
  /** Position and length in bytes of its size field. */
  size_at: number
  size_length: number
  start: number
  /** Null if unknown, as in a live stream. */
  size: number | null
}

/** Writes the duration into the header of a live WebM recording, without which players cannot seek. */
export function withDuration(bytes: Uint8Array, seconds: number): Uint8Array {
  const outer = childOf(bytes, segment, 0, bytes.length)
  if (!outer) return bytes
  const head = childOf(bytes, info, outer.start, bytes.length)
  if (!head || head.size === null) return bytes
  const end = head.start + head.size
  const milliseconds = seconds * 1_000
  const known = childOf(bytes, duration, head.start, end)
  if (known) return patched(bytes, known, milliseconds)
  if (outer.size !== null) return bytes
  const added = new Uint8Array([0x44, 0x89, 0x88, ...float(milliseconds)])
  return joined([
    bytes.subarray(0, head.size_at),
    encodedSize(head.size + added.length),
    bytes.subarray(head.start, end),
    added,
    bytes.subarray(end),
  ])
}

function patched(bytes: Uint8Array, { start, size }: Element_, milliseconds: number): Uint8Array {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  if (size === 8) view.setFloat64(start, milliseconds)
  if (size === 4) view.setFloat32(start, milliseconds)
  return copy
}

function childOf(bytes: Uint8Array, wanted: number, from: number, until: number): Element_ | null {
  for (let at = from; at < until; ) {
    const element = elementAt(bytes, at)
    if (!element) return null
    if (element.id === wanted) return element
    if (element.size === null) return null
    at = element.start + element.size
  }
  return null
}

function elementAt(bytes: Uint8Array, at: number): Element_ | null {
  const idLength = lengthOf(bytes[at])
  const size_at = at + idLength
  const size_length = lengthOf(bytes[size_at])
  if (idLength === 0 || idLength > 4 || size_length === 0) return null
  const id = bytes.subarray(at, size_at).reduce((value, byte) => value * 256 + byte, 0)
  const [first = 0, ...rest] = bytes.subarray(size_at, size_at + size_length)
  const top = first & (0xff >> size_length)
  const unknown = top === 0xff >> size_length && rest.every((byte) => byte === 0xff)
  const size = unknown ? null : rest.reduce((value, byte) => value * 256 + byte, top)
  return { id, size_at, size_length, start: size_at + size_length, size }
}

/** Length of a variable-length integer, by the leading zeros of its first byte. */
const lengthOf = (first: number | undefined): number => (first ? Math.clz32(first) - 23 : 0)

/** A size in eight bytes. */
function encodedSize(size: number): Uint8Array {
  const written = new Uint8Array(8)
  new DataView(written.buffer).setBigUint64(0, BigInt(size))
  written[0] = 1
  return written
}

function float(value: number): Uint8Array {
  const written = new Uint8Array(8)
  new DataView(written.buffer).setFloat64(0, value)
  return written
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(sumOf(parts, (part) => part.length))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
