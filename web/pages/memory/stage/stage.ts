import { gestures } from './gestures.ts'

export interface Point {
  x: number
  y: number
}

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** How the world of a scene lies on the canvas. */
export interface View {
  width: number
  height: number
  scale: number
  /** What the pointer is over, or null. */
  hovered: string | null
  /** A place of the world in pixels of the canvas. */
  at(point: Point): Point
}

/** What is drawn. Places are its own; the stage says where they lie on the canvas. */
export interface Scene {
  bounds(): Box
  draw(context: CanvasRenderingContext2D, view: View): void
  /** What lies at a place of the canvas, in pixels. */
  pick(place: Point, view: View): string | null
}

export interface StageEvents {
  hover(key: string | null, place: Point): void
  open(key: string | null): void
}

/** Pixels that stay free at the edges when everything is shown. */
const margin = 48
const closest = 60

/** A canvas that can be moved and zoomed. It draws once a frame at most, and only when something has changed. */
export class Stage {
  readonly #canvas: HTMLCanvasElement
  readonly #events: StageEvents
  readonly #leave: (() => void)[]
  #scene: Scene | null = null
  #frame = 0
  #scale = 1
  #shift: Point = { x: 0, y: 0 }
  #hovered: string | null = null
  /** Everything is kept in sight until the person moves or zooms. */
  #whole = true

  constructor(canvas: HTMLCanvasElement, events: StageEvents) {
    this.#canvas = canvas
    this.#events = events
    const resized = new ResizeObserver(() => this.redraw())
    resized.observe(canvas)
    this.#leave = [
      () => resized.disconnect(),
      gestures(canvas, {
        pan: (by) => this.pan(by),
        zoom: (factor, place) => this.zoom(factor, place),
        move: (place) => this.#hover(place),
        click: (place) => this.#events.open(this.#scene?.pick(place, this.#view()) ?? null),
        leave: () => this.#hover(null),
      }),
    ]
  }

  show(scene: Scene): void {
    this.#scene = scene
    this.redraw()
  }

  redraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.#draw()
    })
  }

  pan(by: Point): void {
    this.#whole = false
    this.#shift = { x: this.#shift.x + by.x, y: this.#shift.y + by.y }
    this.redraw()
  }

  /** About a place of the canvas; without one about its middle. */
  zoom(factor: number, place?: Point): void {
    const { width, height, least } = this.#measure()
    const { x, y } = place ?? { x: width / 2, y: height / 2 }
    const scale = Math.min(Math.max(this.#scale * factor, least / 3), least * closest)
    const grown = scale / this.#scale
    this.#whole = false
    this.#scale = scale
    this.#shift = { x: x - (x - this.#shift.x) * grown, y: y - (y - this.#shift.y) * grown }
    this.redraw()
  }

  showAll(): void {
    this.#whole = true
    this.redraw()
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    for (const leave of this.#leave) leave()
  }

  #hover(place: Point | null): void {
    const key = place && this.#scene ? this.#scene.pick(place, this.#view()) : null
    if (key === this.#hovered) return
    this.#hovered = key
    this.#canvas.style.cursor = key ? 'pointer' : 'grab'
    this.#events.hover(key, place ?? { x: 0, y: 0 })
    this.redraw()
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d')
    const { width, height } = this.#measure()
    if (!context || !this.#scene || width === 0) return
    const ratio = devicePixelRatio || 1
    if (
      this.#canvas.width !== Math.round(width * ratio) ||
      this.#canvas.height !== Math.round(height * ratio)
    ) {
      this.#canvas.width = Math.round(width * ratio)
      this.#canvas.height = Math.round(height * ratio)
    }
    if (this.#whole) this.#fit()
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    this.#scene.draw(context, this.#view())
  }

  #fit(): void {
    const { width, height, least, box } = this.#measure()
    this.#scale = least
    this.#shift = {
      x: width / 2 - ((box.left + box.right) / 2) * least,
      y: height / 2 - ((box.top + box.bottom) / 2) * least,
    }
  }

  /** `least` is the scale at which everything is in sight. */
  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const box = this.#scene?.bounds() ?? { left: 0, top: 0, right: 1, bottom: 1 }
    const across = (width - 2 * margin) / Math.max(box.right - box.left, 1e-6)
    const down = (height - 2 * margin) / Math.max(box.bottom - box.top, 1e-6)
    return { width, height, box, least: Math.max(Math.min(across, down), 1e-6) }
  }

  #view(): View {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const scale = this.#scale
    const { x, y } = this.#shift
    const at = (point: Point) => ({ x: point.x * scale + x, y: point.y * scale + y })
    return { width, height, scale, hovered: this.#hovered, at }
  }
}
