import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { LiveState } from '../../../runtime/browser/live-view.ts'
import type { LiveStream } from './live-stream.ts'

interface Size {
  width: number
  height: number
}

interface Box extends Size {
  left: number
  top: number
}

/** A point of the screen in CSS pixels of the page that is shown in `box`. */
export function pointOf(at: { clientX: number; clientY: number }, box: Box, page: Size) {
  const scale = (offset: number, from: number, to: number) =>
    Math.round(Math.min(1, Math.max(0, offset / (from || 1))) * Math.max(0, to - 1))
  return {
    x: scale(at.clientX - box.left, box.width, page.width),
    y: scale(at.clientY - box.top, box.height, page.height),
  }
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>

const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/**
 * Whether a key press is sent as a key. Other alphabets, dead keys, input methods and pasted text are sent as
 * text.
 */
export function isKey({ key, ctrlKey, metaKey, altKey, isComposing }: KeyPress): boolean {
  if (isComposing || /^(?:Dead|Process|Unidentified|AltGraph|Compose)$/.test(key)) return false
  if (key.toLowerCase() === 'v' && (ctrlKey || metaKey)) return false
  if (key.length > 1) return true
  return /^[\x20-\x7e]$/.test(key) && (!altKey || !ctrlKey)
}

interface ControlOptions {
  stream: LiveStream
  state: LiveState | null
  on: boolean
  /** Called on Shift+Escape; all other keys go to the page. */
  release: () => void
}

/** Sends mouse, wheel, touch and keys from a field that covers the picture. */
export function useControl(
  field: RefObject<HTMLTextAreaElement | null>,
  { stream, state, on, release }: ControlOptions,
) {
  const at = useEffectEvent((event: MouseEvent) => {
    const box = field.current?.getBoundingClientRect() ?? new DOMRect()
    return pointOf(event, box, { width: state?.width ?? 1280, height: state?.height ?? 720 })
  })
  const released = useEffectEvent(release)

  useEffect(() => {
    const element = field.current
    if (!on || !element) return
    const stop = new AbortController()
    const listen: Listen = (name, listener) =>
      element.addEventListener(name, listener, { signal: stop.signal, passive: false })
    element.focus({ preventScroll: true })
    listenToMouse(listen, stream, at)
    listenToTouch(listen, stream, at)
    listenToKeys(listen, stream, () => released())
    listenToText(listen, stream, element)
    return () => stop.abort()
  }, [field, on, stream])
}

type Listen = <Name extends keyof HTMLElementEventMap>(
  name: Name,
  listener: (event: HTMLElementEventMap[Name]) => void,
) => void
type At = (event: MouseEvent) => { x: number; y: number }

/** Milliseconds between two mouse moves. */
const moveEvery = 60
const buttons = ['left', 'middle', 'right'] as const

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
  // The default would move the caret of the field, and the focus with it.
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

/** Pixels after which a touch scrolls. */
const scrollThreshold = 8

/** A tap clicks, a drag scrolls. */
function listenToTouch(listen: Listen, stream: LiveStream, at: At): void {
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
    if (!scrolls && Math.hypot(now.x - last.x, now.y - last.y) < scrollThreshold) return
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

function listenToKeys(listen: Listen, stream: LiveStream, release: () => void): void {
  const pressed = new Set<string>()
  const send = (kind: 'down' | 'up', key: string) => {
    if (kind === 'down') pressed.add(key)
    else pressed.delete(key)
    stream.send({ type: 'key', kind, key })
  }
  listen('keydown', (event) => {
    event.stopPropagation()
    if (event.key === 'Escape' && event.shiftKey) return release()
    if (!isKey(event)) return
    event.preventDefault()
    send('down', event.key)
  })
  listen('keyup', (event) => {
    event.stopPropagation()
    // A letter that was pressed with Shift has another name once Shift is up.
    const key = [...pressed].find((one) => one.toLowerCase() === event.key.toLowerCase())
    if (key) send('up', key)
  })
  listen('blur', () => {
    for (const key of pressed) send('up', key)
  })
  listen('paste', (event) => {
    event.preventDefault()
    // With a modifier down, the page would mistake the text for shortcuts.
    for (const key of pressed) if (modifiers.has(key)) send('up', key)
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
  // On-screen keyboards send these keys as input events only.
  listen('beforeinput', (event) => {
    const type = (event as InputEvent).inputType
    const key = type === 'deleteContentBackward' ? 'Backspace' : type === 'insertLineBreak' ? 'Enter' : null
    if (!key || field.value) return
    event.preventDefault()
    stream.send({ type: 'key', kind: 'down', key })
    stream.send({ type: 'key', kind: 'up', key })
  })
}
