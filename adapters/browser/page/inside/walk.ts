// Runs inside a page; see kinds.ts.

import type { Heard } from './reasons.ts'
import type { Seen, SeenRow } from './seen.ts'

declare function everyElement(most: number): Element[]
declare function reasonFor(element: Element, heard: Heard): 'strong' | 'weak' | 'hover' | null
declare function canScroll(element: Element): boolean
declare function parentOf(node: Node): Element | null
declare function textIn(node: Node, most: number, skipped?: string): string
declare function isShown(element: Element): boolean
declare function whileStill<Value>(walk: () => Value): Value
declare function describe(element: Element): Seen
declare function asText(element: Element): Seen
declare function asRow(seen: Seen): SeenRow
declare function addRows(nodes: readonly Element[], seen: readonly Seen[]): void
declare function isStandIn(element: Element): boolean

/** What a document tells of itself. */
export interface Told {
  url: string
  title: string
  seen: SeenRow[]
  /** How many elements are listed before each frame that can be seen. */
  frames: number[]
}

/** Parts of a thing that listens for all of them: the rows of a list, the shapes of a drawing. */
function partsOf(element: Element, reasons: ReadonlyMap<Element, string>): Element[] {
  const leaves = [...element.querySelectorAll('*')].filter((inner) => inner.childElementCount === 0)
  if (leaves.length < 2 || leaves.length > 300) return []
  return leaves.filter(
    (leaf) =>
      (leaf instanceof SVGElement || textIn(leaf, 1) !== '' || leaf.localName === 'img') &&
      isShown(leaf) &&
      !isWithin(leaf, element, reasons),
  )
}

function isWithin(leaf: Element, outer: Element, reasons: ReadonlyMap<Element, string>): boolean {
  for (let node = parentOf(leaf); node && node !== outer; node = parentOf(node))
    if (reasons.has(node)) return true
  return false
}

function ownText(element: Element): string {
  let text = ''
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === 3) text += node.nodeValue
  return text.trim()
}

/** How many others lie in each; elements come before what they hold. */
function countsInside(all: readonly Element[], reasons: ReadonlyMap<Element, string>): Map<Element, number> {
  const counts = new Map<Element, number>()
  for (const element of all.toReversed()) {
    const here = (counts.get(element) ?? 0) + (reasons.has(element) ? 1 : 0)
    const parent = parentOf(element)
    if (here > 0 && parent) counts.set(parent, (counts.get(parent) ?? 0) + here)
  }
  return counts
}

/** The elements to list: what is made to be used, and of the rest what does not merely wrap it. */
function chosen(heard: Heard, all: readonly Element[]): Element[] {
  const reasons = new Map<Element, 'strong' | 'weak'>()
  const titles: Element[] = []
  for (const element of all) {
    const reason = reasonFor(element, heard)
    if (!reason || !(isShown(element) || isStandIn(element))) continue
    if (reason === 'hover') titles.push(element)
    else reasons.set(element, reason)
  }
  const counts = countsInside(all, reasons)
  const listed = new Map<Element, 'strong' | 'weak'>()
  for (const [element, reason] of reasons) {
    if (reason === 'strong' || canScroll(element)) listed.set(element, reason)
    if (reason === 'weak') addWeak(element, { heard, reasons, inside: counts.get(element) ?? 0, listed })
  }
  const within = countsInside(all, listed)
  for (const title of titles) if (!within.get(title) || ownText(title) !== '') listed.set(title, 'weak')
  for (const element of listed.keys()) {
    // A label does what its field does.
    const field = element instanceof HTMLLabelElement ? element.control : null
    if (field && listed.has(field)) listed.delete(element)
  }
  return all.filter((element) => listed.has(element))
}

interface Weak {
  heard: Heard
  reasons: ReadonlyMap<Element, string>
  /** How many others lie in it. */
  inside: number
  listed: Map<Element, 'strong' | 'weak'>
}

function addWeak(element: Element, { heard, reasons, inside, listed }: Weak): void {
  const parts = heard.used.has(element) && !isLinkLike(element) ? partsOf(element, reasons) : []
  const isRow = inside > 0 && inside <= 12 && isUsedAsWhole(element, heard)
  if (!isRow && parts.length > 1) for (const part of parts) listed.set(part, 'weak')
  if (element === document.body || element === document.documentElement) return
  if (isRow || (inside === 0 && parts.length < 2) || ownText(element) !== '') listed.set(element, 'weak')
}

/** Its own words are part of it, such as those in the cells of a row that listens. */
function isUsedAsWhole(element: Element, heard: Heard): boolean {
  if (/^(ul|ol|table|tbody|dl|svg)$/.test(element.localName)) return false
  if (/^(tr|li)$/.test(element.localName) || element.getAttribute('draggable') === 'true') return true
  if (!heard.used.has(element) && !element.hasAttribute('onclick') && !element.hasAttribute('tabindex')) {
    return false
  }
  const { width, height } = element.getBoundingClientRect()
  return width * height < innerWidth * innerHeight * 0.25 && textIn(element, 300).length < 300
}

/** One thing, however many parts it is drawn of. */
function isLinkLike(element: Element): boolean {
  if (element instanceof SVGSVGElement) return false
  return getComputedStyle(element).cursor === 'pointer' && ownText(element) !== ''
}

/** Words to read or select: only where they are few, for lists of what can be used are not books. */
function texts(all: readonly Element[], listed: ReadonlySet<Element>): Element[] {
  const blocks = all.filter((element) => {
    if (listed.has(element) || !/^(p|div|pre|blockquote|td|dd|section|article)$/.test(element.localName))
      return false
    if (ownText(element).length < 20) return false
    for (let node = parentOf(element); node; node = parentOf(node))
      if (listed.has(node) && !canScroll(node)) return false
    return isShown(element)
  })
  return blocks.length <= 20 ? blocks : []
}

/** Everything that a person could use in this document, kept under `key`, and what tells one from another. */
function walk(key: string, heard: Heard): Told {
  return whileStill(() => tellAll(key, heard))
}

function tellAll(key: string, heard: Heard): Told {
  const all = everyElement(30_000)
  const used = chosen(heard, all)
  const words = texts(all, new Set(used))
  const seen = used.map(describe)
  addRows(used, seen)
  const frames = all.filter((element) => /^(iframe|frame)$/.test(element.localName) && isShown(element))
  keep(key, [...used, ...words], frames)
  return {
    url: location.href,
    title: document.title,
    seen: [...seen, ...words.map(asText)].map(asRow),
    frames: countsBefore(all, { used, frames }),
  }
}

/** How many that are used stand before each frame; all in the order in which they are read. */
function countsBefore(
  all: readonly Element[],
  { used, frames }: { used: readonly Element[]; frames: readonly Element[] },
): number[] {
  if (frames.length === 0) return []
  const places = new Map(all.map((element, place) => [element, place]))
  const placeOf = (element: Element) => places.get(element) ?? 0
  return frames.map((frame) => used.filter((element) => placeOf(element) < placeOf(frame)).length)
}

/** The nodes of the last few views: a number means its node as long as its view is kept. */
function keep(key: string, nodes: Element[], frames: Element[]): void {
  const world = globalThis as unknown as {
    __hearthd_views?: Map<string, { nodes: Element[]; frames: Element[] }>
  }
  const views = world.__hearthd_views ?? new Map()
  world.__hearthd_views = views
  views.set(key, { nodes, frames })
  if (views.size > 6) views.delete(views.keys().next().value ?? '')
}

const parts = [
  partsOf,
  isWithin,
  ownText,
  countsInside,
  chosen,
  addWeak,
  isUsedAsWhole,
  isLinkLike,
  texts,
  walk,
  tellAll,
  countsBefore,
  keep,
]

/** As text, for a page. */
export const walkSource = parts.map(String).join('\n')
