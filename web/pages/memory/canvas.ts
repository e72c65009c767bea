import { type Selection, select } from 'd3-selection'
import { zoom, zoomIdentity, zoomTransform } from 'd3-zoom'

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

/** The part of a scene that the canvas shows. */
export interface View {
  width: number
  height: number
  scale: number
  /** Key of the item under the pointer. */
  hovered: string | null
  /** Scene coordinates in pixels of the canvas. */
  at(point: Point): Point
}

/** What is drawn, in coordinates of its own. */
export interface Scene {
  bounds(): Box
  draw(context: CanvasRenderingContext2D, view: View): void
  /** Key of the item at a pixel of the canvas. */
  pick(place: Point, view: View): string | null
}

export interface CanvasEvents {
  hover(key: string | null, place: Point): void
  /** Null if nothing was hit. */
  open(key: string | null): void
}

/** Margin in pixels when the whole scene is shown. */
const margin = 48
const maxZoom = 60
/** Pixels that a pointer may move during a click. */
const clickTolerance = 5

/** A canvas with pan and zoom by mouse, pen and touch. Draws at most once per frame, and only after a change. */
export class PannableCanvas {
  readonly #canvas: HTMLCanvasElement
  readonly #events: CanvasEvents
  readonly #resize: ResizeObserver
  readonly #closing = new AbortController()
  readonly #zoom = zoom<HTMLCanvasElement, unknown>().clickDistance(clickTolerance).tapDistance(clickTolerance)
  readonly #target: Selection<HTMLCanvasElement, unknown, null, undefined>
  #scene: Scene | null = null
  #frame = 0
  #hovered: string | null = null
  /** The whole scene stays visible until the person pans or zooms. */
  #fitted = true
  #fitting = false

  constructor(canvas: HTMLCanvasElement, events: CanvasEvents) {
    this.#canvas = canvas
    this.#events = events
    this.#resize = new ResizeObserver(() => this.redraw())
    this.#resize.observe(canvas)
    this.#zoom.on('zoom', () => this.#moved())
    this.#target = select(canvas).call(this.#zoom).on('dblclick.zoom', null)
    const { signal } = this.#closing
    const placeOf = ({ offsetX: x, offsetY: y }: MouseEvent): Point => ({ x, y })
    canvas.addEventListener('pointermove', (event) => event.buttons === 0 && this.#hover(placeOf(event)), { signal })
    canvas.addEventListener('pointerleave', () => this.#hover(null), { signal })
    canvas.addEventListener('click', (event) => this.#events.open(this.#pick(placeOf(event))), { signal })
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

  /** In pixels. */
  pan({ x, y }: Point): void {
    const { k } = zoomTransform(this.#canvas)
    this.#zoom.translateBy(this.#target, x / k, y / k)
  }

  /** Keeps the center where it is. */
  zoom(factor: number): void {
    this.#zoom.scaleBy(this.#target, factor)
  }

  showAll(): void {
    this.#fitted = true
    this.redraw()
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    this.#resize.disconnect()
    this.#target.on('.zoom', null)
    this.#closing.abort()
  }

  #moved(): void {
    if (this.#fitting) return
    this.#fitted = false
    this.redraw()
  }

  #pick(place: Point): string | null {
    return this.#scene?.pick(place, this.#view()) ?? null
  }

  #hover(place: Point | null): void {
    const key = place && this.#pick(place)
    if (key === this.#hovered) return
    this.#hovered = key
    this.#canvas.style.cursor = key ? 'pointer' : 'grab'
    this.#events.hover(key, place ?? { x: 0, y: 0 })
    this.redraw()
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d')
    const { clientWidth: width, clientHeight: height } = this.#canvas
    if (!context || !this.#scene || width === 0) return
    const ratio = devicePixelRatio || 1
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)]
    // Assigning a size clears the canvas, so only when it has changed.
    if (this.#canvas.width !== pixelWidth) this.#canvas.width = pixelWidth
    if (this.#canvas.height !== pixelHeight) this.#canvas.height = pixelHeight
    this.#fit(this.#scene.bounds(), width, height)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    this.#scene.draw(context, this.#view())
  }

  /** Limits the zoom around the scale at which the whole scene is visible, and applies that while it is fitted. */
  #fit({ left, right, top, bottom }: Box, width: number, height: number): void {
    const horizontal = (width - 2 * margin) / Math.max(right - left, 1e-6)
    const vertical = (height - 2 * margin) / Math.max(bottom - top, 1e-6)
    const scale = Math.max(Math.min(horizontal, vertical), 1e-6)
    this.#zoom.scaleExtent([scale / 3, scale * maxZoom])
    if (!this.#fitted) return
    const whole = zoomIdentity.translate(width / 2, height / 2).scale(scale)
    this.#fitting = true
    this.#zoom.transform(this.#target, whole.translate(-(left + right) / 2, -(top + bottom) / 2))
    this.#fitting = false
  }

  #view(): View {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const transform = zoomTransform(this.#canvas)
    const at = ({ x, y }: Point) => ({ x: transform.applyX(x), y: transform.applyY(y) })
    return { width, height, scale: transform.k, hovered: this.#hovered, at }
  }
}
