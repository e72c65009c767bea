import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isKey, modifiers, pointOf } from './coordinates.ts'
import type { LiveState } from './messages.ts'
import type { LiveStream } from './stream.ts'

/** Milliseconds between two moves of the mouse. */
const moveEvery = 60
/** Pixels from which a finger scrolls. */
const scrollFrom = 8
const buttons = ['left', 'middle', 'right'] as const

interface Takeover {
  stream: LiveStream
  state: LiveState | null
  on: boolean
  /** Shift and Escape give the page back, for all other keys go to it. */
  leave: () => void
}

/** Passes mouse, wheel, finger and keys on from a field that lies over the picture. */
export function useTakeover(
  field: RefObject<HTMLTextAreaElement | null>,
  { stream, state, on, leave }: Takeover,
) {
  const at = useEffectEvent((event: MouseEvent) => {
    const box = field.current?.getBoundingClientRect() ?? new DOMRect()
    return pointOf(event, box, { width: state?.width ?? 1280, height: state?.height ?? 720 })
  })
  const release = useEffectEvent(leave)

  useEffect(() => {
    const element = field.current
    if (!on || !element) return
    const stop = new AbortController()
    const listen = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      listener: (event: HTMLElementEventMap[Name]) => void,
    ) => element.addEventListener(name, listener, { signal: stop.signal, passive: false })
    element.focus({ preventScroll: true })
    listenToMouse(listen, stream, at)
    listenToFinger(listen, stream, at)
    listenToKeys(listen, stream, () => release())
    listenToText(listen, stream, element)
    return () => stop.abort()
  }, [field, on, stream])
}

type Listen = <Name extends keyof HTMLElementEventMap>(
  name: Name,
  listener: (event: HTMLElementEventMap[Name]) => void,
) => void
type At = (event: MouseEvent) => { x: number; y: number }

function listenToMouse(listen: Listen, stream: LiveStream, at: At): void {
  let moved = 0
  listen('pointermove', (event) => {
    if (event.pointerType === 'touch' || event.timeStamp - moved < moveEvery) return
    moved = event.timeStamp
    stream.send({ type: 'mouse', kind: 'move', ...at(event) })
  })
  const press = (kind: 'down' | 'up') => (event: PointerEvent) => {
    if (event.pointerType === 'touch') return
    const element = event.currentTarget as HTMLElement
    if (kind === 'down') element.setPointerCapture(event.pointerId)
    element.focus({ preventScroll: true })
    event.preventDefault()
    stream.send({ type: 'mouse', kind, ...at(event), button: buttons[event.button] ?? 'left' })
  }
  listen('pointerdown', press('down'))
  listen('pointerup', press('up'))
  // Its default would move the field's caret, and with it the focus.
  listen('mousedown', (event) => event.preventDefault())
  listen('contextmenu', (event) => event.preventDefault())
  listen('wheel', (event) => {
    event.preventDefault()
    const unit = event.deltaMode === 0 ? 1 : 40
    const limit = (delta: number) => Math.max(-10_000, Math.min(10_000, delta * unit))
    const deltas = { delta_x: limit(event.deltaX), delta_y: limit(event.deltaY) }
    stream.send({ type: 'mouse', kind: 'wheel', ...at(event), ...deltas })
  })
}

/** A tap clicks, a drag scrolls. */
function listenToFinger(listen: Listen, stream: LiveStream, at: At): void {
  let last: { x: number; y: number } | null = null
  let scrolls = false
  listen('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return
    last = at(event)
    scrolls = false
  })
  listen('pointermove', (event) => {
    if (event.pointerType !== 'touch' || !last) return
    const now = at(event)
    if (!scrolls && Math.hypot(now.x - last.x, now.y - last.y) < scrollFrom) return
    scrolls = true
    const deltas = { delta_x: last.x - now.x, delta_y: last.y - now.y }
    stream.send({ type: 'mouse', kind: 'wheel', ...now, ...deltas })
    last = now
  })
  listen('pointerup', (event) => {
    if (event.pointerType !== 'touch' || !last) return
    if (!scrolls) {
      stream.send({ type: 'mouse', kind: 'down', ...last, button: 'left' })
      stream.send({ type: 'mouse', kind: 'up', ...last, button: 'left' })
    }
    last = null
  })
}

function listenToKeys(listen: Listen, stream: LiveStream, leave: () => void): void {
  const held = new Set<string>()
  const pass = (kind: 'down' | 'up', key: string) => {
    if (kind === 'down') held.add(key)
    else held.delete(key)
    stream.send({ type: 'key', kind, key })
  }
  listen('keydown', (event) => {
    event.stopPropagation()
    if (event.key === 'Escape' && event.shiftKey) return leave()
    if (!isKey(event)) return
    event.preventDefault()
    pass('down', event.key)
  })
  listen('keyup', (event) => {
    event.stopPropagation()
    // The letter that was held may have another name once Shift is up.
    const key = [...held].find((one) => one.toLowerCase() === event.key.toLowerCase())
    if (key) pass('up', key)
  })
  listen('blur', () => {
    for (const key of held) stream.send({ type: 'key', kind: 'up', key })
    held.clear()
  })
  listen('paste', (event) => {
    event.preventDefault()
    // The page must not take what follows for a shortcut.
    for (const key of held) if (modifiers.has(key)) pass('up', key)
    const text = event.clipboardData?.getData('text/plain').slice(0, 10_000)
    if (text) stream.send({ type: 'text', text })
  })
}

function listenToText(listen: Listen, stream: LiveStream, field: HTMLTextAreaElement): void {
  const flush = () => {
    if (field.value) stream.send({ type: 'text', text: field.value.slice(0, 10_000) })
    field.value = ''
  }
  listen('input', (event) => {
    if (!(event as InputEvent).isComposing) flush()
  })
  listen('compositionend', flush)
  // A keyboard on a screen says only this.
  listen('beforeinput', (event) => {
    const type = (event as InputEvent).inputType
    const key = type === 'deleteContentBackward' ? 'Backspace' : type === 'insertLineBreak' ? 'Enter' : null
    if (!key || field.value) return
    event.preventDefault()
    stream.send({ type: 'key', kind: 'down', key })
    stream.send({ type: 'key', kind: 'up', key })
  })
}
