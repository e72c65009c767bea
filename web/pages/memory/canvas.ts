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

/** A canvas with pan and zoom. Draws at most once per frame, and only after a change. */
export class PannableCanvas {
  readonly #canvas: HTMLCanvasElement
  readonly #events: CanvasEvents
  readonly #resize: ResizeObserver
  readonly #closing = new AbortController()
  #scene: Scene | null = null
  #frame = 0
  #scale = 1
  #shift: Point = { x: 0, y: 0 }
  #hovered: string | null = null
  /** The whole scene stays visible until the person pans or zooms. */
  #fitted = true

  constructor(canvas: HTMLCanvasElement, events: CanvasEvents) {
    this.#canvas = canvas
    this.#events = events
    this.#resize = new ResizeObserver(() => this.redraw())
    this.#resize.observe(canvas)
    listenToGestures(canvas, this.#closing.signal, {
      pan: (by) => this.pan(by),
      zoom: (factor, place) => this.zoom(factor, place),
      move: (place) => this.#hover(place),
      click: (place) => this.#events.open(this.#scene?.pick(place, this.#view()) ?? null),
      leave: () => this.#hover(null),
    })
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
    this.#fitted = false
    this.#shift = { x: this.#shift.x + by.x, y: this.#shift.y + by.y }
    this.redraw()
  }

  /** Keeps `place` (default: the center) where it is. */
  zoom(factor: number, place?: Point): void {
    const { width, height, fitScale } = this.#measure()
    const { x, y } = place ?? { x: width / 2, y: height / 2 }
    const scale = Math.min(Math.max(this.#scale * factor, fitScale / 3), fitScale * maxZoom)
    const growth = scale / this.#scale
    this.#fitted = false
    this.#scale = scale
    this.#shift = { x: x - (x - this.#shift.x) * growth, y: y - (y - this.#shift.y) * growth }
    this.redraw()
  }

  showAll(): void {
    this.#fitted = true
    this.redraw()
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    this.#resize.disconnect()
    this.#closing.abort()
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
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)]
    // Assigning a size clears the canvas, so only when it has changed.
    if (this.#canvas.width !== pixelWidth) this.#canvas.width = pixelWidth
    if (this.#canvas.height !== pixelHeight) this.#canvas.height = pixelHeight
    if (this.#fitted) this.#fit()
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, width, height)
    this.#scene.draw(context, this.#view())
  }

  #fit(): void {
    const { width, height, fitScale, box } = this.#measure()
    this.#scale = fitScale
    this.#shift = {
      x: width / 2 - ((box.left + box.right) / 2) * fitScale,
      y: height / 2 - ((box.top + box.bottom) / 2) * fitScale,
    }
  }

  /** `fitScale` is the scale at which the whole scene is visible. */
  #measure() {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const box = this.#scene?.bounds() ?? { left: 0, top: 0, right: 1, bottom: 1 }
    const horizontal = (width - 2 * margin) / Math.max(box.right - box.left, 1e-6)
    const vertical = (height - 2 * margin) / Math.max(box.bottom - box.top, 1e-6)
    return { width, height, box, fitScale: Math.max(Math.min(horizontal, vertical), 1e-6) }
  }

  #view(): View {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const scale = this.#scale
    const { x, y } = this.#shift
    const at = (point: Point) => ({ x: point.x * scale + x, y: point.y * scale + y })
    return { width, height, scale, hovered: this.#hovered, at }
  }
}

interface Gestures {
  pan(by: Point): void
  zoom(factor: number, place: Point): void
  move(place: Point): void
  click(place: Point): void
  leave(): void
}

/** Pixels that a pointer may move during a click. */
const clickTolerance = 5

/** Mouse, pen and touch: one pointer pans, two zoom, the wheel zooms, a press without a move is a click. */
function listenToGestures(canvas: HTMLCanvasElement, signal: AbortSignal, act: Gestures): void {
  const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = canvas.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    act.zoom(Math.exp(-event.deltaY * unit * 0.0015), placeOf(event))
  }
  const { down, move, up } = pointersOf(canvas, act, placeOf)
  canvas.addEventListener('pointerdown', down, { signal })
  canvas.addEventListener('pointermove', move, { signal })
  canvas.addEventListener('pointerup', up, { signal })
  canvas.addEventListener('pointercancel', up, { signal })
  canvas.addEventListener('pointerleave', () => act.leave(), { signal })
  canvas.addEventListener('wheel', wheel, { signal, passive: false })
}

function pointersOf(canvas: HTMLCanvasElement, act: Gestures, placeOf: (event: MouseEvent) => Point) {
  const pressed = new Map<number, Point>()
  let travelled = 0
  return {
    down(event: PointerEvent) {
      if (pressed.size === 0) travelled = 0
      pressed.set(event.pointerId, placeOf(event))
      canvas.setPointerCapture(event.pointerId)
    },
    move(event: PointerEvent) {
      const place = placeOf(event)
      const before = pressed.get(event.pointerId)
      if (!before) return act.move(place)
      const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1]
      pressed.set(event.pointerId, place)
      travelled += distance(place, before)
      if (other) {
        const middle = { x: (place.x + other.x) / 2, y: (place.y + other.y) / 2 }
        return act.zoom(distance(place, other) / Math.max(distance(before, other), 1), middle)
      }
      if (travelled > clickTolerance) act.pan({ x: place.x - before.x, y: place.y - before.y })
    },
    up(event: PointerEvent) {
      const wasPressed = pressed.delete(event.pointerId)
      const isClick = event.type === 'pointerup' && travelled <= clickTolerance && pressed.size === 0
      if (wasPressed && isClick) act.click(placeOf(event))
    },
  }
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
