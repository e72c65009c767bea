/** Queries about elements for acts, and changes that the mouse and keyboard cannot make. */

import { activeElement, elementAt, imageOfArea, isSized, type Point, scrollToCenter } from './geometry.ts'
import { controlAround } from './trace.ts'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const isVisible = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true })

/** How an element has to be clicked. */
export type Look = 'area' | 'option' | 'picture' | 'sized' | 'empty'

export function look(element: Element): Look {
  if (element instanceof HTMLAreaElement) return 'area'
  if (element instanceof HTMLOptionElement) return 'option'
  if (getComputedStyle(element).content.startsWith('url(')) return 'picture'
  return isSized(element) ? 'sized' : 'empty'
}

/** The first descendant with a size, for a wrapper without one. */
export function sizedPart(element: Element): Element {
  if (isSized(element) || element instanceof HTMLInputElement || element instanceof SVGElement) return element
  return [...element.querySelectorAll('*')].slice(0, 50).find(isSized) ?? element
}

export const visibleLabel = (element: Element): Element | null =>
  [...((element as HTMLInputElement).labels ?? [])].find(isVisible) ?? null

/** The nearest visible ancestor of a hidden element: a menu opens when the pointer is over its title. */
export function visibleAncestor(element: Element): Element | null {
  let outer = element.parentElement
  while (outer && !isVisible(outer)) outer = outer.parentElement
  return outer === document.body || outer === document.documentElement ? null : outer
}

export const imageOf = (element: Element): Element | null => imageOfArea(element)

/** The upper left corner of the element's box in the viewport of its document. */
export function cornerOf(element: Element): Point {
  const { left: x, top: y } = element.getBoundingClientRect()
  return { x, y }
}

/** The upper left corner of the content of a frame. */
export function contentCorner(element: Element): Point {
  const { x, y } = cornerOf(element)
  return { x: x + element.clientLeft, y: y + element.clientTop }
}

/** Null if the element cannot be checked. */
export function isChecked(element: Element): boolean | null {
  const inside = element.querySelectorAll('input[type=checkbox], input[type=radio]')
  const label = element instanceof HTMLLabelElement ? element.control : null
  const box = label ?? (inside.length === 1 ? inside[0] : element)
  if (box instanceof HTMLInputElement && /^(checkbox|radio)$/.test(box.type)) return box.checked
  const state =
    box?.getAttribute('aria-checked') ?? box?.getAttribute('aria-pressed') ?? box?.getAttribute('aria-selected') ?? null
  return state === null ? null : state === 'true'
}

export const isDisabled = (element: Element): boolean => element.matches(':disabled, [aria-disabled=true]')

export const isReadOnly = (element: Element): boolean => element.matches(':disabled, [readonly], [aria-disabled=true]')

/** Where the text of an element begins or ends, relative to its box. */
export function textEdge(element: Element, edge: 'start' | 'end'): Point | null {
  const range = new Range()
  range.selectNodeContents(element)
  const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
  const rect = edge === 'start' ? rects[0] : rects.at(-1)
  if (!rect) return null
  const own = element.getBoundingClientRect()
  const x = edge === 'start' ? rect.left + 0.5 : rect.right - 0.5
  return { x: x - own.left, y: rect.top + rect.height / 2 - own.top }
}

/**
 * Focuses the element or the first control in it. True if it got the focus, even if the page then moved it
 * on.
 */
export function focus(element: Element): boolean {
  let focused = false
  const note = (event: Event) => {
    const target = event.composedPath()[0]
    if (target instanceof Element && element.contains(target)) focused = true
  }
  addEventListener('focus', note, true)
  try {
    const root = element.getRootNode() as Document | ShadowRoot
    const active = activeElement(root)
    if (active && active !== document.body && element.contains(active)) return true
    ;(element as HTMLElement).focus?.()
    if (focused) return true
    const inside = element.querySelector<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable]',
    )
    inside?.focus()
    return focused
  } finally {
    removeEventListener('focus', note, true)
  }
}

export const blur = (element: Element): void => (element as HTMLElement).blur()

export const blurActive = (): void => (activeElement() as HTMLElement | null)?.blur()

/** The element with the focus, through open shadow roots; null for the page itself. */
export function focusedElement(): Element | null {
  let active = activeElement()
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
  return active === document.body || active === document.documentElement ? null : active
}

export function controlAt({ x, y }: Point): Element | null {
  const element = elementAt(x, y)
  return element && controlAround(element)
}

/** The list itself, or the list of a label or an option, or the only list inside. */
export function listOf(element: Element): Element | null {
  if (element instanceof HTMLSelectElement) return element
  if (element instanceof HTMLLabelElement) return element.control instanceof HTMLSelectElement ? element.control : null
  const inside = element.querySelectorAll('select')
  return element.closest('select') ?? (inside.length === 1 ? (inside[0] ?? null) : null)
}

export interface Option {
  index: number
  value: string
  label: string
  disabled: boolean
  selected: boolean
}

export const optionsOf = (list: Element): Option[] => [...(list as HTMLSelectElement).options].map(optionOf)

function optionOf({ index, value, label, disabled, selected, parentElement }: HTMLOptionElement): Option {
  const inDisabledGroup = parentElement instanceof HTMLOptGroupElement && parentElement.disabled
  return { index, value, label: label.trim(), disabled: disabled || inDisabledGroup, selected }
}

/** Null for anything but an option of a list. */
export const asOption = (element: Element): Option | null =>
  element instanceof HTMLOptionElement ? optionOf(element) : null

export const isMultiple = (list: Element): boolean => (list as HTMLSelectElement).multiple

/**
 * How an element takes text: key by key into a field or a rich editor, as a whole value, by keys while
 * something within it has the focus, or not at all, with the act to use instead.
 */
export type TextInput = 'field' | 'editor' | 'value' | 'keys' | `use ${string}`

export function textInput(element: Element): TextInput {
  if (element instanceof HTMLInputElement) {
    if (/^(date|time|month|week|datetime-local|color|range)$/.test(element.type)) return 'value'
    if (/^(checkbox|radio)$/.test(element.type)) return 'use check'
    if (element.type === 'file') return 'use upload'
    return /^(button|submit|reset|image)$/.test(element.type) ? 'use click' : 'field'
  }
  if (element instanceof HTMLTextAreaElement) return 'field'
  if (element instanceof HTMLSelectElement) return 'use select_option'
  if ((element as HTMLElement).isContentEditable) return 'editor'
  return pressable(element) ? 'use click' : 'keys'
}

/** A click would activate the element before any key arrives, or no key would reach it afterwards. */
const pressable = (element: Element): boolean =>
  element.matches(
    'button, summary, a[href], area[href], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option], [role^=menuitem]',
  ) || !takesKeys(element)

function takesKeys(element: Element): boolean {
  const focusable = 'canvas, iframe, object, embed, [tabindex], [contenteditable], input, textarea'
  if (element.matches(focusable) || element.querySelector(focusable)) return true
  return element === document.body || element === document.documentElement || element.shadowRoot !== null
}

/** The field to type into: that of a label, or the only visible one inside. */
export function fieldOf(element: Element): Element {
  if (element.matches('input, textarea, select') || (element as HTMLElement).isContentEditable) return element
  if (element instanceof HTMLLabelElement && element.control) return element.control
  const roots: ParentNode[] = element.shadowRoot ? [element, element.shadowRoot] : [element]
  const inside = roots.flatMap((root) => [
    ...root.querySelectorAll('input:not([type=hidden]), textarea, [contenteditable=""], [contenteditable=true]'),
  ])
  const visible = inside.filter(isVisible)
  return (visible.length === 1 && visible[0]) || element
}

export function selectContents(element: Element): void {
  if (!element.contains(activeElement())) (element as HTMLElement).focus()
  getSelection()?.selectAllChildren(element)
}

export const fieldState = (element: Element): { type: string; value: string } => {
  const { type, value } = element as Field
  return { type, value }
}

/**
 * What a person has entered: the text of a field, or the chosen options; null for an element that takes no
 * text.
 */
export function enteredIn(element: Element): string | string[] | null {
  if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(({ label }) => label)
  if (element instanceof HTMLTextAreaElement) return element.value
  if (element instanceof HTMLInputElement)
    return /^(checkbox|radio|button|submit|reset|image|file)$/.test(element.type) ? null : element.value
  return (element as HTMLElement).isContentEditable ? (element as HTMLElement).innerText : null
}

/** Scrolls the nearest ancestor that moves. */
export function scroll(element: Element, { x, y }: Point): void {
  for (let node: Element | null = element; node; node = node.parentElement) {
    const before = [node.scrollLeft, node.scrollTop].join()
    node.scrollBy({ left: x, top: y, behavior: 'instant' })
    if ([node.scrollLeft, node.scrollTop].join() !== before) return
  }
}

/** The scroll positions of the element and its ancestors. */
export function scrollPositions(element: Element): string {
  const positions: number[] = []
  for (let node: Element | null = element; node; node = node.parentElement)
    positions.push(node.scrollLeft, node.scrollTop)
  return positions.join()
}

export const scrollIntoView = scrollToCenter

/** The list entry that contains nothing but the element, else the element. */
export function entryOf(element: Element): Element {
  const entry = element.closest('li, tr, [draggable=true], [role=listitem], [role=option], [role=row]')
  return entry?.textContent?.trim() === element.textContent?.trim() ? (entry ?? element) : element
}

/** An unfilled outline in a drawing: things are dropped inside it, where the shape itself takes no events. */
export const isOutline = (element: Element): boolean =>
  element instanceof SVGGeometryElement &&
  /^(rect|circle|ellipse|polygon)$/.test(element.localName) &&
  getComputedStyle(element).fill === 'none'

export const isLoading = (): boolean => document.readyState === 'loading'

export const isLoaded = (): boolean => document.readyState === 'complete'

/** Resolves after two frames: the page handles the wheel in the first. */
export const nextFrames = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))

/** Resolves when nothing in the document has changed for `quiet` milliseconds, or after `max`. */
export const quiet = ({ quiet, max }: { quiet: number; max: number }): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      observer.disconnect()
      resolve()
    }
    let timer = setTimeout(end, quiet)
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(end, quiet)
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    setTimeout(end, max)
  })
