import type { Page } from 'playwright'
import type { TabUser, Video } from '../../runtime/ports/browser.ts'
import { frames, sizeOf } from './frames.ts'
import type { BrowserLifecycle } from './lifecycle.ts'
import { scriptOf } from './page/script-bundle.ts'
import type { Studio, StudioOptions } from './page-script/studio.ts'
import type { Session } from './session.ts'
import { inTime } from './time-limit.ts'

interface VideoOptions {
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
    this.#recording = await record(this.#lifecycle, options)
  }

  /** Null if none was started, or the browser has exited. */
  async stop(): Promise<Video | null> {
    const recording = this.#recording
    this.#recording = null
    return (await recording?.end().catch(() => null)) ?? null
  }
}

interface Recording {
  end(): Promise<Video | null>
}

/** Opens the page that makes the video, in a context of its own; `chunks` takes the parts of the video. */
async function openStudio(session: Session, { format = 'webm', user }: VideoOptions, chunks: Buffer[]): Promise<Page> {
  const { width, height } = sizeOf(session.tabs.visiblePage(user) ?? (await session.page(undefined, user)))
  const context = await session.browser.newContext({ offline: true })
  try {
    const studio = await context.newPage()
    await studio.exposeBinding('sendVideo', (_, base64: string) => {
      chunks.push(Buffer.from(base64, 'base64'))
    })
    // Encoders need even dimensions.
    const size = { width: width - (width % 2), height: height - (height % 2) }
    const options: StudioOptions = { ...size, format, bits_per_second: bitsPerSecond, repeat_ms: repeatEvery }
    await studio.evaluate(`${scriptOf('studio')}\nglobalThis.studio = new hearthd.Studio(${JSON.stringify(options)})`)
    return studio
  } catch (thrown) {
    await context.close().catch(() => undefined)
    throw thrown
  }
}

/** Records until it is ended, or for `max_seconds`. */
async function record(lifecycle: BrowserLifecycle, options: VideoOptions): Promise<Recording> {
  const { user, max_seconds } = options
  const chunks: Buffer[] = []
  const studio = await lifecycle.use((session) => openStudio(session, options, chunks))
  const begun = Date.now()
  const cut = new AbortController()
  let drawn = false
  const draw = async (jpeg: Uint8Array) => {
    drawn = true
    const drawing = studio.evaluate(
      (base64) => (globalThis as unknown as StudioPage).studio.draw(base64),
      Buffer.from(jpeg).toString('base64'),
    )
    await inTime(drawLimit, drawing).catch(() => null)
  }
  const capture = async () => {
    for await (const { jpeg } of frames(lifecycle, { fps, quality, signal: cut.signal, user })) await draw(jpeg)
  }
  const picture = async () =>
    lifecycle.session?.tabs.visiblePage(user)?.screenshot({ type: 'jpeg', quality, timeout: drawLimit })
  const capturing = capture().catch(() => undefined)

  const finish = async (): Promise<Video | null> => {
    clearTimeout(limit)
    const duration_seconds = Math.max(shortest, (Date.now() - begun) / 1_000)
    cut.abort()
    await capturing
    // A recording that is stopped before its first frame shows the page as it is.
    const jpeg = drawn ? null : await inTime(drawLimit, picture()).catch(() => null)
    if (jpeg) await draw(jpeg)
    try {
      const finishing = studio.evaluate(() => (globalThis as unknown as StudioPage).studio.finish())
      const mimeType = await inTime(endLimit, finishing)
      if (mimeType === null) return null
      const bytes = Buffer.concat(chunks)
      if (mimeType.startsWith('video/mp4')) return { format: 'mp4', duration_seconds, bytes }
      return { format: 'webm', duration_seconds, bytes: withDuration(bytes, duration_seconds) }
    } finally {
      const context = studio.context()
      await context.close().catch(() => undefined)
    }
  }
  let ended: Promise<Video | null> | undefined
  const end = () => (ended ??= finish())
  const limit = setTimeout(() => void end().catch(() => null), max_seconds * 1_000)
  return { end }
}

interface StudioPage {
  studio: Studio
}

/** Element ids: https://www.matroska.org/technical/elements.html */
const segment = 0x18538067
const info = 0x1549a966
const duration = 0x4489

interface EbmlElement {
  id: number
  /** Position and length in bytes of its size field. */
  size_at: number
  size_length: number
  start: number
  /** Null if unknown, as in a live stream. */
  size: number | null
}

/** Writes the duration into the header of a live WebM recording, without which players cannot seek. */
function withDuration(bytes: Uint8Array, seconds: number): Uint8Array {
  const outer = childOf(bytes, segment, 0, bytes.length)
  if (!outer) return bytes
  const head = childOf(bytes, info, outer.start, bytes.length)
  if (!head || head.size === null) return bytes
  const end = head.start + head.size
  const milliseconds = seconds * 1_000
  const durationElement = childOf(bytes, duration, head.start, end)
  if (durationElement) return patched(bytes, durationElement, milliseconds)
  if (outer.size !== null) return bytes
  const added = new Uint8Array([0x44, 0x89, 0x88, ...float(milliseconds)])
  return Buffer.concat([
    bytes.subarray(0, head.size_at),
    encodedSize(head.size + added.length),
    bytes.subarray(head.start, end),
    added,
    bytes.subarray(end),
  ])
}

function patched(bytes: Uint8Array, { start, size }: EbmlElement, milliseconds: number): Uint8Array {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  if (size === 8) view.setFloat64(start, milliseconds)
  if (size === 4) view.setFloat32(start, milliseconds)
  return copy
}

function childOf(bytes: Uint8Array, id: number, from: number, until: number): EbmlElement | null {
  for (let at = from; at < until; ) {
    const element = elementAt(bytes, at)
    if (!element) return null
    if (element.id === id) return element
    if (element.size === null) return null
    at = element.start + element.size
  }
  return null
}

function elementAt(bytes: Uint8Array, at: number): EbmlElement | null {
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
function encodedSize(size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(size))
  bytes[0] = 1
  return bytes
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
