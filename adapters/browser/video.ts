import type { Page } from 'playwright'
import type { Video as Recorded } from '../../runtime/ports/browser.ts'
import { sizeOf } from './cast.ts'
import { frames } from './frames.ts'
import type { Life } from './life.ts'
import { withDuration } from './webm.ts'
import { within } from './within.ts'

export interface VideoOptions {
  max_seconds: number
  format?: 'webm' | 'mp4'
}

/** Frames per second of a page that moves. */
const fps = 12
/** Milliseconds after which the last frame of a still page is written again. */
const repeatEvery = 500
const quality = 80
const bitsPerSecond = 1_500_000
/** Milliseconds for the studio to hand over what it has. */
const endLimit = 20_000
const drawLimit = 5_000
/** Seconds: its one picture is shown for so long in a film that ended at once. */
const shortest = 0.2

/**
 * The studio is a page of its own, in a context that no tab belongs to: pictures of the filmed page are drawn on its
 * canvas, and Chromium's own recorder writes the film. Needs no other program.
 */
const studioSource = `({ width, height, format, bits, repeat }) => {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  const stream = canvas.captureStream(0)
  const [track] = stream.getVideoTracks()
  const known = { mp4: ['video/mp4;codecs=avc1', 'video/mp4'], webm: ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'] }
  const mimeType = [...(known[format] ?? []), ...known.webm].find((type) => MediaRecorder.isTypeSupported(type))
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: bits })
  recorder.ondataavailable = async ({ data }) => {
    got += data.size
    if (data.size > 0) sent = sent.then(async () => globalThis.hearthdFilm(await text(data)))
  }
  let sent = Promise.resolve()
  let got = 0
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const text = (blob) => new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1))
    reader.readAsDataURL(blob)
  })
  let picture = null
  const draw = () => {
    if (picture) {
      const scale = Math.min(width / picture.width, height / picture.height)
      const [w, h] = [picture.width * scale, picture.height * scale]
      context.fillRect(0, 0, width, height)
      context.drawImage(picture, (width - w) / 2, (height - h) / 2, w, h)
    }
    track.requestFrame()
  }
  globalThis.draw = async (base64) => {
    const image = new Image()
    image.src = 'data:image/jpeg;base64,' + base64
    await image.decode()
    picture = image
    draw()
  }
  const timer = setInterval(draw, repeat)
  globalThis.finish = async () => {
    clearInterval(timer)
    draw()
    await pause(60)
    // An encoder that has only just begun has nothing to give yet.
    for (let tries = 0; got === 0 && tries < 30; tries += 1) {
      draw()
      await pause(100)
      recorder.requestData()
    }
    await new Promise((resolve) => { recorder.onstop = resolve; recorder.stop() })
    await sent
    return recorder.mimeType
  }
  recorder.start(1000)
  draw()
}`

/** One film at a time. */
export class Video {
  readonly #life: Life
  #film: Film | null = null

  constructor(life: Life) {
    this.#life = life
  }

  /** One that runs is given up. */
  async start(options: VideoOptions): Promise<void> {
    await this.#film?.end().catch(() => null)
    this.#film = null
    this.#film = await Film.open(this.#life, options)
  }

  /** Null when none was started, or its browser has gone. */
  async stop(): Promise<Recorded | null> {
    const film = this.#film
    this.#film = null
    return (await film?.end().catch(() => null)) ?? null
  }
}

class Film {
  readonly #studio: Page
  readonly #chunks: Buffer[]
  readonly #begun = Date.now()
  readonly #cut = new AbortController()
  readonly #limit: NodeJS.Timeout
  readonly #filming: Promise<void>
  readonly #life: Life
  #drawn = false
  #ended: Promise<Recorded | null> | null = null

  private constructor(life: Life, parts: { studio: Page; chunks: Buffer[]; max_seconds: number }) {
    this.#life = life
    this.#studio = parts.studio
    this.#chunks = parts.chunks
    this.#limit = setTimeout(() => void this.end().catch(() => null), parts.max_seconds * 1_000)
    this.#filming = this.#run(life).catch(() => undefined)
  }

  static open(life: Life, { max_seconds, format = 'webm' }: VideoOptions): Promise<Film> {
    return life.use(async (session) => {
      const { width, height } = sizeOf(await session.page())
      const browser = session.context.browser()
      if (!browser) throw new Error('The browser has gone')
      const context = await browser.newContext({ offline: true })
      try {
        const studio = await context.newPage()
        const chunks: Buffer[] = []
        await studio.exposeBinding('hearthdFilm', (_, base64: string) => {
          chunks.push(Buffer.from(base64, 'base64'))
        })
        // Encoders want even sides.
        const size = { width: width - (width % 2), height: height - (height % 2) }
        const given = { ...size, format, bits: bitsPerSecond, repeat: repeatEvery }
        await studio.evaluate(`(${studioSource})(${JSON.stringify(given)})`)
        return new Film(life, { studio, chunks, max_seconds })
      } catch (thrown) {
        await context.close().catch(() => undefined)
        throw thrown
      }
    })
  }

  async #run(life: Life): Promise<void> {
    for await (const { jpeg } of frames(life, { fps, quality, signal: this.#cut.signal }))
      await this.#draw(jpeg)
  }

  async #draw(jpeg: Uint8Array): Promise<void> {
    this.#drawn = true
    const drawing = this.#studio.evaluate(
      (base64) => (globalThis as unknown as Studio).draw(base64),
      Buffer.from(jpeg).toString('base64'),
    )
    await within(drawLimit, drawing).catch(() => null)
  }

  /** A film that ends before its first picture has come shows how the page stands. */
  async #drawLast(): Promise<void> {
    if (this.#drawn) return
    const picture = this.#life.use(async (session) =>
      (await session.page()).screenshot({ type: 'jpeg', quality, timeout: drawLimit }),
    )
    const jpeg = await within(drawLimit, picture).catch(() => null)
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
    await this.#filming
    await this.#drawLast()
    try {
      const finish = this.#studio.evaluate(() => (globalThis as unknown as Studio).finish())
      const mimeType = await within(endLimit, finish)
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

interface Studio {
  draw(base64: string): Promise<void>
  finish(): Promise<string>
}
