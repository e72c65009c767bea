/** Which elements of a document a person could use, and how each is described. */

import { ancestorsOf, cached, isHiddenBehindLabel, isInViewport, isShown, parentOf, withCaches } from './geometry.ts'
import type { Identity } from './identity.ts'
import { crowdOf, hasBorrowedLabel, labelOf, type Row, rowOf, rowText, textIn } from './names.ts'
import { idOf } from './registry.ts'
import { kindOf, statesOf } from './states.ts'

/** Elements with event listeners of the page. */
export interface Listeners {
  /** To clicks, presses and drags. */
  used: ReadonlySet<Element>
  /** To the pointer moving over them. */
  hovered: ReadonlySet<Element>
}

/**
 * One listed element: id, kind, label, states, in the viewport, row. An array, to save its thousands of field
 * names.
 */
export type Listed = readonly [number, string, string, readonly string[], boolean, string]

export interface Listing {
  url: string
  title: string
  elements: Listed[]
  /** The visible frames, each with the number of elements listed before it. */
  frames: { id: number; before: number }[]
}

/** Maximum elements examined per document; a page with more is listed in part. */
const maxElements = 30_000

const roles = new Set(
  'button link textbox searchbox checkbox radio switch combobox option slider spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell scrollbar'.split(
    ' ',
  ),
)

type Reason = 'control' | 'hint' | 'hover'

/**
 * Why an element is listed: it is a control; something hints that it can be used; or it reacts to the
 * pointer. Null for a form: its fields may have the names of its own methods.
 */
function reasonFor(element: Element, { used, hovered }: Listeners): Reason | null {
  if (element instanceof HTMLFormElement) return null
  if (isControl(element)) return 'control'
  const { isContentEditable, tabIndex } = element as HTMLElement
  if (isContentEditable) return (parentOf(element) as HTMLElement | null)?.isContentEditable ? null : 'control'
  const hinted =
    element.hasAttribute('onclick') ||
    used.has(element) ||
    (element.hasAttribute('tabindex') && tabIndex >= 0) ||
    element.getAttribute('draggable') === 'true' ||
    /(^|[\s_-])(drop(pable|zone|area|target|box)?)([\s_-]|$)/i.test(element.getAttribute('class') ?? '') ||
    element.localName === 'canvas' ||
    hasOwnCursor(element) ||
    canScroll(element)
  if (hinted) return 'hint'
  return opensByHover(element, hovered) ? 'hover' : null
}

function isControl(element: Element): boolean {
  const tag = element.localName
  if (tag === 'input') return (element as HTMLInputElement).type !== 'hidden'
  if (/^(button|select|textarea|summary)$/.test(tag)) return true
  if (tag === 'a' || tag === 'area') {
    if (element.hasAttribute('href') || element.hasAttribute('xlink:href')) return true
  }
  if (/^(audio|video)$/.test(tag) && element.hasAttribute('controls')) return true
  return roles.has((element.getAttribute('role') ?? '').trim().toLowerCase())
}

const cursorOf = cached((element) => getComputedStyle(element).cursor)
const usable = /^(pointer|grab|move|crosshair|copy|.*-resize)$/

/** Its cursor says that it can be clicked or dragged, and is not inherited. */
function hasOwnCursor(element: Element): boolean {
  const cursor = cursorOf(element)
  if (!usable.test(cursor)) return false
  const parent = parentOf(element)
  return !parent || cursorOf(parent) !== cursor
}

/** An entry with a hidden submenu, or a small element that listens to the pointer. */
function opensByHover(element: Element, hovered: Listeners['hovered']): boolean {
  if (hovered.has(element)) {
    const { width, height } = element.getBoundingClientRect()
    return element.childElementCount <= 3 && width * height < innerWidth * innerHeight * 0.1
  }
  if (element.localName !== 'li') return false
  return [...element.children].some((inner) => /^(ul|ol|menu)$/.test(inner.localName) && !inner.checkVisibility())
}

/** The document of a frame too, which has no other element to scroll by. */
const canScroll = cached((element) => {
  const isRoot = element === document.documentElement
  if (isRoot) return top !== window && element.scrollHeight > innerHeight + 20
  const { clientHeight } = element
  if (element === document.body || clientHeight < 30) return false
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) return false
  const { overflowX, overflowY } = getComputedStyle(element)
  return (
    (/auto|scroll/.test(overflowY) && element.scrollHeight > clientHeight + 4) ||
    (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth + 4)
  )
})

const skippedTags =
  /^(script|style|noscript|template|head|meta|link|defs|symbol|clippath|mask|lineargradient|radialgradient)$/i

/** Every element in document order, also within open shadow roots. */
export function everyElement(): Element[] {
  const elements: Element[] = []
  const visit = (root: Node) => {
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT)
    let element = walker.nextNode() as Element | null
    while (elements.length < maxElements && element) {
      const isSkipped = skippedTags.test(element.localName)
      if (!isSkipped) {
        elements.push(element)
        const inner: unknown = Reflect.get(Element.prototype, 'shadowRoot', element)
        if (inner) visit(inner as ShadowRoot)
      }
      element = (isSkipped ? nextAfter(walker) : walker.nextNode()) as Element | null
    }
  }
  visit(document)
  return elements
}

/** The next node after a subtree. */
function nextAfter(walker: TreeWalker): Node | null {
  for (;;) {
    const next = walker.nextSibling()
    if (next || !walker.parentNode()) return next
  }
}

/**
 * The leaves of a container that listens for all of them, such as the shapes of a drawing or the entries of a list. Not
 * those of a page whose framework listens on its root: there only leaves that look usable are targets.
 */
function partsOf(element: Element, hinted: ReadonlySet<Element>): Element[] {
  const leaves = [...element.querySelectorAll('*')].filter((inner) => inner.childElementCount === 0)
  if (leaves.length < 2 || leaves.length > 300 || isPage(element)) return []
  return leaves.filter(
    (leaf) =>
      (leaf instanceof SVGElement || textIn(leaf, 1) !== '' || leaf.localName === 'img') &&
      isShown(leaf) &&
      !isWithinOther(leaf, element, hinted),
  )
}

/** Text of several kinds, such as headings and paragraphs, is a page and no list or drawing. */
function isPage(element: Element): boolean {
  return element.querySelector('h1, h2, h3, h4, h5, h6, p, article, main, form') !== null
}

function isWithinOther(leaf: Element, outer: Element, others: ReadonlySet<Element>): boolean {
  for (const node of ancestorsOf(leaf)) {
    if (node === outer) return false
    if (others.has(node)) return true
  }
  return false
}

function ownText(element: Element): string {
  let text = ''
  for (let node = element.firstChild; node; node = node.nextSibling) if (node.nodeType === 3) text += node.nodeValue
  return text.trim()
}

/** The number of these elements within each element. `all` is in document order. */
function countsWithin(all: readonly Element[], some: ReadonlySet<Element>): Map<Element, number> {
  const counts = new Map<Element, number>()
  for (const element of all.toReversed()) {
    const here = (counts.get(element) ?? 0) + (some.has(element) ? 1 : 0)
    const parent = parentOf(element)
    if (here > 0 && parent) counts.set(parent, (counts.get(parent) ?? 0) + here)
  }
  return counts
}

/** The elements to list: every control, and of the others those that do not merely wrap one. */
function usedElements(all: readonly Element[], listeners: Listeners): Element[] {
  const reasons = new Map<Element, Reason>()
  const hovers: Element[] = []
  for (const element of all) {
    const reason = reasonFor(element, listeners)
    if (!reason || !(isShown(element) || isHiddenBehindLabel(element))) continue
    if (reason === 'hover') hovers.push(element)
    else reasons.set(element, reason)
  }
  const candidates = new Set(reasons.keys())
  const inside = countsWithin(all, candidates)
  const listed = new Set<Element>()
  for (const [element, reason] of reasons) {
    if (reason === 'control' || canScroll(element)) listed.add(element)
    if (reason === 'hint')
      for (const one of hintedBy(element, { listeners, candidates, inside: inside.get(element) ?? 0 })) listed.add(one)
  }
  const within = countsWithin(all, listed)
  for (const element of hovers) if (!within.get(element) || ownText(element) !== '') listed.add(element)
  for (const element of listed) {
    // A label does what its field does.
    const field = element instanceof HTMLLabelElement ? element.control : null
    if (field && listed.has(field)) listed.delete(element)
  }
  for (const element of duplicates(listed, reasons)) listed.delete(element)
  return all.filter((element) => listed.has(element))
}

/**
 * Elements that are one target with another around them: an entry and the text in it that react to the same click. The
 * control stays, or else the inner one, whose click also reaches the outer one.
 */
function duplicates(listed: ReadonlySet<Element>, reasons: ReadonlyMap<Element, Reason>): Element[] {
  return [...listed].flatMap((inner) => {
    const outer = [...ancestorsOf(inner)].find((node) => listed.has(node))
    if (!outer || canScroll(outer) || canScroll(inner) || textIn(outer, 100) !== textIn(inner, 100)) return []
    if (textIn(inner, 1) === '') return []
    if (reasons.get(outer) !== 'control') return [outer]
    return reasons.get(inner) === 'control' ? [] : [inner]
  })
}

interface Hinted {
  listeners: Listeners
  candidates: ReadonlySet<Element>
  /** How many candidates lie within the element. */
  inside: number
}

/** What to list for an element that something hints at: itself, its parts, or both. */
function hintedBy(element: Element, { listeners, candidates, inside }: Hinted): Element[] {
  const parts = listeners.used.has(element) && !looksLikeLink(element) ? partsOf(element, candidates) : []
  const isRow = inside > 0 && inside <= 12 && isUsedAsWhole(element, listeners)
  const listed = !isRow && parts.length > 1 ? parts : []
  if (element === document.body || element === document.documentElement) return listed
  const itself = isRow || (inside === 0 && parts.length < 2) || ownText(element) !== ''
  return itself ? [element, ...listed] : listed
}

/** Its text belongs to it, such as the text in the cells of a row with a listener. */
function isUsedAsWhole(element: Element, { used }: Listeners): boolean {
  if (/^(ul|ol|table|tbody|dl|svg)$/.test(element.localName)) return false
  if (/^(tr|li)$/.test(element.localName) || element.getAttribute('draggable') === 'true') return true
  if (!used.has(element) && !element.hasAttribute('onclick') && !element.hasAttribute('tabindex')) return false
  const { width, height } = element.getBoundingClientRect()
  return width * height < innerWidth * innerHeight * 0.25 && textIn(element, 300).length < 300
}

/** One target, however many elements it consists of. */
function looksLikeLink(element: Element): boolean {
  if (element instanceof SVGSVGElement) return false
  return cursorOf(element) === 'pointer' && ownText(element) !== ''
}

/**
 * Paragraphs to read or select; none if there are more than 20, because a snapshot is not meant for reading
 * text.
 */
function paragraphs(all: readonly Element[], listed: ReadonlySet<Element>): Element[] {
  const blocks = all.filter((element) => {
    if (listed.has(element) || !/^(p|div|pre|blockquote|td|dd|section|article)$/.test(element.localName)) return false
    if (ownText(element).length < 20) return false
    for (const node of ancestorsOf(element)) if (listed.has(node) && !canScroll(node)) return false
    return isShown(element)
  })
  return blocks.length <= 20 ? blocks : []
}

/** Lists everything that a person could use in this document. */
export function list(listeners: Listeners): Listing {
  return withCaches(() => {
    const all = everyElement()
    const used = usedElements(all, listeners)
    const texts = paragraphs(all, new Set(used))
    const frames = all.filter((element) => /^(iframe|frame)$/.test(element.localName) && isShown(element))
    const elements = [...describeAll(used), ...texts.map(describeText)]
    return { url: location.href, title: document.title, elements, frames: framesAmong(all, used, frames) }
  })
}

function framesAmong(all: readonly Element[], used: readonly Element[], frames: readonly Element[]): Listing['frames'] {
  if (frames.length === 0) return []
  const places = new Map(all.map((element, place) => [element, place]))
  const placeOf = (element: Element) => places.get(element) ?? 0
  return frames.map((frame) => ({
    id: idOf(frame),
    before: used.filter((element) => placeOf(element) < placeOf(frame)).length,
  }))
}

const describeText = (element: Element): Listed => [
  idOf(element),
  'text',
  textIn(element, 200),
  [],
  isInViewport(element),
  '',
]

/** Where the elements of the last listing are, for those that share their name with another. */
export const rows = new WeakMap<Element, Row>()

/** Elements with the same kind and label also get the text around them. */
function describeAll(elements: readonly Element[]): Listed[] {
  const described = elements.map((element) => ({ element, kind: kindOf(element), label: labelOf(element) }))
  const groups = Map.groupBy(described, ({ kind, label }) => `${kind} ${groupLabel(label)}`)
  const around = new Map<Element, string>()
  for (const group of groups.values()) {
    const crowd = group.length > 1 ? crowdOf(group.map(({ element }) => element)) : null
    for (const { element } of group) {
      rows.delete(element)
      if (!crowd) continue
      const row = rowOf(element, crowd)
      rows.set(element, row)
      around.set(element, rowText(row))
    }
  }
  return described.map(({ element, kind, label }) => {
    const row = around.get(element) ?? ''
    return [idOf(element), kind, label, allStates(element), isInViewport(element), row === label ? '' : row]
  })
}

function allStates(element: Element): string[] {
  const states = [...statesOf(element), ...(hasBorrowedLabel(element) ? ['label from text nearby'] : [])]
  // A text longer than its field, such as terms of use, may have to be scrolled to its end before it can be
  // accepted.
  const holdsMore = element instanceof HTMLTextAreaElement && element.scrollHeight > element.clientHeight + 4
  return holdsMore || canScroll(element) ? [...states, 'scrollable'] : states
}

/**
 * Only the first part of a hint: position and size distinguish elements for a program but not for a reader,
 * and the other classes change with the state.
 */
function groupLabel(label: string): string {
  const hint = / ?at -?\d+,-?\d+ size \d+x\d+$/
  return label.includes(' size ') && hint.test(label) ? (label.replace(hint, '').split(' ')[0] ?? '') : label
}

/** The current kind, label and row of an element, to check that it is still what a snapshot said. */
export function identify(element: Element): Identity {
  const [kind, label, row] = [kindOf(element), labelOf(element), rows.get(element)]
  const around = row ? rowText(row) : ''
  return { kind, label, row: around === label ? '' : around }
}
