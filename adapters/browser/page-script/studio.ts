/**
 * Runs in a page of its own: draws the frames of the recorded page on a canvas, which Chromium's own recorder
 * turns into a video. So a screen recording needs no other program.
 */

export interface StudioOptions {
  width: number
  height: number
  format: 'webm' | 'mp4'
  bits_per_second: number
  /** Milliseconds after which the last frame of a still page is written again. */
  repeat_ms: number
}

/** Takes a part of the video, in base64. */
declare function sendVideo(base64: string): Promise<void>

const types = {
  mp4: ['video/mp4;codecs=avc1', 'video/mp4'],
  webm: ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'],
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class Studio {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #track: CanvasCaptureMediaStreamTrack
  readonly #recorder: MediaRecorder
  readonly #timer: ReturnType<typeof setInterval>
  #picture: HTMLImageElement | null = null
  #received = 0
  #sent: Promise<void> = Promise.resolve()

  constructor({ width, height, format, bits_per_second, repeat_ms }: StudioOptions) {
    this.#canvas = Object.assign(document.createElement('canvas'), { width, height })
    this.#context = this.#canvas.getContext('2d') as CanvasRenderingContext2D
    this.#context.fillStyle = '#fff'
    this.#context.fillRect(0, 0, width, height)
    const stream = this.#canvas.captureStream(0)
    this.#track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack
    const mimeType = [...types[format], ...types.webm].find((type) => MediaRecorder.isTypeSupported(type))
    this.#recorder = new MediaRecorder(stream, {
      ...(mimeType ? { mimeType } : {}),
      videoBitsPerSecond: bits_per_second,
    })
    this.#recorder.ondataavailable = ({ data }) => {
      this.#received += data.size
      if (data.size > 0) this.#sent = this.#sent.then(async () => sendVideo(await base64Of(data)))
    }
    this.#timer = setInterval(() => this.#write(), repeat_ms)
    this.#recorder.start(1_000)
    this.#write()
  }

  async draw(jpeg: string): Promise<void> {
    const image = new Image()
    image.src = `data:image/jpeg;base64,${jpeg}`
    await image.decode()
    this.#picture = image
    this.#write()
  }

  #write(): void {
    const { width, height } = this.#canvas
    const picture = this.#picture
    if (picture) {
      const scale = Math.min(width / picture.width, height / picture.height)
      const [w, h] = [picture.width * scale, picture.height * scale]
      this.#context.fillRect(0, 0, width, height)
      this.#context.drawImage(picture, (width - w) / 2, (height - h) / 2, w, h)
    }
    this.#track.requestFrame()
  }

  /** Resolves with the MIME type once every part has been sent. */
  async finish(): Promise<string> {
    clearInterval(this.#timer)
    this.#write()
    await wait(60)
    // An encoder that has only just started has no data yet.
    for (let tries = 0; this.#received === 0 && tries < 30; tries += 1) {
      this.#write()
      await wait(100)
      this.#recorder.requestData()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#recorder.onstop = () => resolve()
    this.#recorder.stop()
    await promise
    await this.#sent
    return this.#recorder.mimeType
  }
}

const base64Of = (blob: Blob): Promise<string> =>
  new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^.*?,/s, ''))
    reader.readAsDataURL(blob)
  })
