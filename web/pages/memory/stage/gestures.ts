import type { Point } from './stage.ts'

interface Gestures {
  pan(by: Point): void
  zoom(factor: number, place: Point): void
  move(place: Point): void
  click(place: Point): void
  leave(): void
}

/** Pixels that a finger may slip in a click. */
const slip = 5

/** Mouse, pen and fingers: one moves, two zoom, the wheel zooms, a press without a move is a click. */
export function gestures(canvas: HTMLCanvasElement, act: Gestures): () => void {
  const pressed = new Map<number, Point>()
  let travelled = 0

  const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = canvas.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const down = (event: PointerEvent) => {
    if (pressed.size === 0) travelled = 0
    pressed.set(event.pointerId, placeOf(event))
    canvas.setPointerCapture(event.pointerId)
  }
  const move = (event: PointerEvent) => {
    const place = placeOf(event)
    const before = pressed.get(event.pointerId)
    if (!before) return act.move(place)
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1]
    pressed.set(event.pointerId, place)
    travelled += Math.hypot(place.x - before.x, place.y - before.y)
    if (other)
      return act.zoom(distance(place, other) / Math.max(distance(before, other), 1), middle(place, other))
    if (travelled > slip) act.pan({ x: place.x - before.x, y: place.y - before.y })
  }
  const up = (event: PointerEvent) => {
    const held = pressed.delete(event.pointerId)
    if (held && event.type === 'pointerup' && travelled <= slip && pressed.size === 0)
      act.click(placeOf(event))
  }
  const wheel = (event: WheelEvent) => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    act.zoom(Math.exp(-event.deltaY * lines * 0.0015), placeOf(event))
  }
  const leaving = new AbortController()
  const { signal } = leaving
  canvas.addEventListener('pointerdown', down, { signal })
  canvas.addEventListener('pointermove', move, { signal })
  canvas.addEventListener('pointerup', up, { signal })
  canvas.addEventListener('pointercancel', up, { signal })
  canvas.addEventListener('pointerleave', () => act.leave(), { signal })
  canvas.addEventListener('wheel', wheel, { signal, passive: false })
  return () => leaving.abort()
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
const middle = (a: Point, b: Point) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
