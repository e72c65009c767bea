// Runs inside a page; see kinds.ts.

declare function kindOf(element: Element): string
declare function statesOf(element: Element): string[]
declare function labelOf(element: Element): string
declare function textIn(node: Node, most: number): string
declare function isShown(element: Element): boolean
declare function isStandIn(element: Element): boolean
declare function isInViewport(element: Element): boolean

/** One element as the page tells it. */
export interface Seen {
  kind: string
  label: string
  states: string[]
  in_viewport: boolean
}

/** Strong: made to be used. Weak: something suggests that it can be. */
type Reason = 'strong' | 'weak'

const roles =
  'button link textbox searchbox checkbox radio switch combobox listbox option slider spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell'

function reasonFor(element: Element, listening: ReadonlySet<Element>): Reason | null {
  const tag = element.localName
  if (tag === 'input') return (element as HTMLInputElement).type === 'hidden' ? null : 'strong'
  if (/^(button|select|textarea|summary)$/.test(tag)) return 'strong'
  if ((tag === 'a' || tag === 'area') && element.hasAttribute('href')) return 'strong'
  if (/^(audio|video)$/.test(tag) && element.hasAttribute('controls')) return 'strong'
  const role = element.getAttribute('role')
  if (role && ' ROLES '.includes(` ${role.trim().toLowerCase()} `)) return 'strong'
  const { isContentEditable, parentElement } = element as HTMLElement
  if (isContentEditable) return parentElement?.isContentEditable ? null : 'strong'
  if (element.hasAttribute('onclick') || listening.has(element)) return 'weak'
  if ((element as HTMLElement).tabIndex >= 0 && element.hasAttribute('tabindex')) return 'weak'
  if (element.getAttribute('draggable') === 'true') return 'weak'
  if (/(^|[\s_-])(drop(pable|zone|area|target|box)?)([\s_-]|$)/i.test(element.getAttribute('class') ?? ''))
    return 'weak'
  return pointsAlone(element) || canScroll(element) ? 'weak' : null
}

/** It shows the hand, and not because what it lies in does. */
function pointsAlone(element: Element): boolean {
  if (getComputedStyle(element).cursor !== 'pointer') return false
  const { parentElement } = element
  return !parentElement || getComputedStyle(parentElement).cursor !== 'pointer'
}

function canScroll(element: Element): boolean {
  if (element.scrollHeight <= element.clientHeight + 20 || element.clientHeight < 30) return false
  if (element === document.body || element === document.documentElement) return false
  return /auto|scroll/.test(getComputedStyle(element).overflowY)
}

/** Every element, also in open shadow roots, in the order in which they are read. */
function everyElement(root: Document | ShadowRoot | Element, found: Element[], most: number): Element[] {
  for (const element of root.children) {
    if (found.length >= most) return found
    if (/^(script|style|noscript|template|head|meta|link)$/.test(element.localName)) continue
    found.push(element)
    if (element.shadowRoot) everyElement(element.shadowRoot, found, most)
    everyElement(element, found, most)
  }
  return found
}

/** Parts of a thing that listens for all of them: the rows of a list, the shapes of a drawing. */
function partsOf(element: Element): Element[] {
  const leaves = [...element.querySelectorAll('*')].filter((inner) => inner.childElementCount === 0)
  if (leaves.length < 2 || leaves.length > 200) return []
  return leaves.filter(
    (leaf) =>
      (leaf instanceof SVGElement || textIn(leaf, 1) !== '' || leaf.localName === 'img') && isShown(leaf),
  )
}

function ownText(element: Element): string {
  return [...element.childNodes]
    .map((node) => (node.nodeType === 3 ? node.nodeValue : ''))
    .join('')
    .trim()
}

/** The elements to list: what is made to be used, and of the rest what does not merely wrap it. */
function chosen(listening: ReadonlySet<Element>): Element[] {
  const all = everyElement(document, [], 30_000)
  const reasons = new Map<Element, Reason>()
  for (const element of all) {
    const reason = reasonFor(element, listening)
    if (reason && (isShown(element) || isStandIn(element))) reasons.set(element, reason)
  }
  const listed = new Set<Element>()
  for (const [element, reason] of reasons) {
    const scrolls = canScroll(element)
    if (reason === 'strong' || scrolls) listed.add(element)
    if (reason === 'strong') continue
    const inside = [...element.querySelectorAll('*')].some((inner) => reasons.has(inner))
    const parts = inside || !listening.has(element) ? [] : partsOf(element)
    if (parts.length > 1) for (const part of parts) listed.add(part)
    const wraps =
      element === document.body || element === document.documentElement || inside || parts.length > 1
    if (!wraps || ownText(element) !== '') listed.add(element)
  }
  return all.filter((element) => listed.has(element))
}

/** Everything that a person could use in this document, and as JSON, which travels fast, what tells one from another. */
function walk(mark: string): { seen: string; nodes: Element[] } {
  const world = globalThis as unknown as Record<string, Set<Element> | undefined>
  const listening = world[mark] ?? new Set<Element>()
  delete world[mark]
  const nodes = chosen(listening)
  const seen = nodes.map((element) => ({
    kind: kindOf(element),
    label: labelOf(element),
    states: canScroll(element) ? [...statesOf(element), 'scrollable'] : statesOf(element),
    in_viewport: isInViewport(element),
  }))
  return { seen: JSON.stringify(seen), nodes }
}

const parts = [reasonFor, pointsAlone, canScroll, everyElement, partsOf, ownText, chosen, walk]

/** As text, for a page. */
export const walkSource = parts.map(String).join('\n').replace('ROLES', roles)
