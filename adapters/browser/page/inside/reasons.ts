// Runs inside a page; see kinds.ts.

declare function parentOf(node: Node): Element | null
declare function once<Value>(
  known: Map<Element, Value> | null,
  element: Element,
  look: (element: Element) => Value,
): Value
declare const sights: { scrolls: Map<Element, boolean> | null; cursors: Map<Element, string> | null }

/** Who listens, as the debugger says. */
export interface Heard {
  /** To clicks, presses and drags. */
  used: ReadonlySet<Element>
  /** To a pointer that passes over it. */
  hovered: ReadonlySet<Element>
}

const roles =
  'button link textbox searchbox checkbox radio switch combobox option slider spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell scrollbar'

/**
 * Strong: made to be used. Weak: something suggests that it can be. Hover: it does something when the pointer passes. A form is never listed itself, and its fields may
 * have the names of its own methods.
 */
function reasonFor(element: Element, heard: Heard): 'strong' | 'weak' | 'hover' | null {
  if (element instanceof HTMLFormElement) return null
  const tag = element.localName
  if (tag === 'input') return (element as HTMLInputElement).type === 'hidden' ? null : 'strong'
  if (/^(button|select|textarea|summary)$/.test(tag)) return 'strong'
  if (
    (tag === 'a' || tag === 'area') &&
    (element.hasAttribute('href') || element.hasAttribute('xlink:href'))
  ) {
    return 'strong'
  }
  if (/^(audio|video)$/.test(tag) && element.hasAttribute('controls')) return 'strong'
  const role = element.getAttribute('role')
  if (role && ' ROLES '.includes(` ${role.trim().toLowerCase()} `)) return 'strong'
  const { isContentEditable } = element as HTMLElement
  if (isContentEditable) return (parentOf(element) as HTMLElement | null)?.isContentEditable ? null : 'strong'
  if (element.hasAttribute('onclick') || heard.used.has(element)) return 'weak'
  if (element.hasAttribute('tabindex') && (element as HTMLElement).tabIndex >= 0) return 'weak'
  if (element.getAttribute('draggable') === 'true') return 'weak'
  if (/(^|[\s_-])(drop(pable|zone|area|target|box)?)([\s_-]|$)/i.test(element.getAttribute('class') ?? '')) {
    return 'weak'
  }
  if (tag === 'canvas' || pointsAlone(element) || canScroll(element)) return 'weak'
  return opensByHover(element, heard) ? 'hover' : null
}

/** It shows that it can be clicked or dragged, and not because what it lies in does. */
function pointsAlone(element: Element): boolean {
  const cursor = cursorOf(element)
  if (!/^(pointer|grab|move|crosshair|copy|.*-resize)$/.test(cursor)) return false
  const parent = parentOf(element)
  return !parent || cursorOf(parent) !== cursor
}

function cursorOf(element: Element): string {
  return once(sights.cursors, element, (one) => getComputedStyle(one).cursor)
}

/** An entry with a hidden list below it, or one that listens to the pointer and says something. */
function opensByHover(element: Element, heard: Heard): boolean {
  if (heard.hovered.has(element)) return element.childElementCount <= 3 && isSmall(element)
  if (element.localName !== 'li') return false
  return [...element.children].some(
    (inner) => /^(ul|ol|menu)$/.test(inner.localName) && !inner.checkVisibility(),
  )
}

function isSmall(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect()
  return width * height < innerWidth * innerHeight * 0.1
}

/** In a frame the document itself is listed too, for the wheel has nothing else to be turned over. */
function canScroll(element: Element): boolean {
  return once(sights.scrolls, element, holdsMore)
}

function holdsMore(element: Element): boolean {
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
}

/** Every element, also in open shadow roots, in the order in which they are read. */
function everyElement(most: number): Element[] {
  const found: Element[] = []
  const skipped =
    /^(script|style|noscript|template|head|meta|link|defs|symbol|clippath|mask|lineargradient|radialgradient)$/i
  const visit = (root: Node) => {
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT)
    let element = walker.nextNode() as Element | null
    while (found.length < most && element) {
      const isSkipped = skipped.test(element.localName)
      if (!isSkipped) {
        found.push(element)
        const inner: unknown = Reflect.get(Element.prototype, 'shadowRoot', element)
        if (inner) visit(inner as ShadowRoot)
      }
      element = (isSkipped ? nextAfter(walker) : walker.nextNode()) as Element | null
    }
  }
  visit(document)
  return found
}

/** What comes behind a node and all that it holds. */
function nextAfter(walker: TreeWalker): Node | null {
  for (;;) {
    const next = walker.nextSibling()
    if (next || !walker.parentNode()) return next
  }
}

const parts = [
  reasonFor,
  pointsAlone,
  cursorOf,
  opensByHover,
  isSmall,
  canScroll,
  holdsMore,
  everyElement,
  nextAfter,
]

/** As text, for a page. */
export const reasonsSource = parts.map(String).join('\n').replace('ROLES', roles)
