// Runs inside a page; see kinds.ts.

/** What a walk has seen, for nothing moves while it runs; nothing is kept outside of one. */
const sights: {
  boxes: Map<Element, DOMRect> | null
  drawn: Map<Element, boolean> | null
  shown: Map<Element, boolean> | null
  folds: Map<Element, boolean> | null
  scrolls: Map<Element, boolean> | null
  cursors: Map<Element, string> | null
} = { boxes: null, drawn: null, shown: null, folds: null, scrolls: null, cursors: null }

/** Every element is looked at but once in the course of a walk: each look asks for the layout. */
function whileStill<Value>(walk: () => Value): Value {
  for (const name of Object.keys(sights)) Reflect.set(sights, name, new Map())
  try {
    return walk()
  } finally {
    for (const name of Object.keys(sights)) Reflect.set(sights, name, null)
  }
}

function once<Value>(
  known: Map<Element, Value> | null,
  element: Element,
  look: (element: Element) => Value,
): Value {
  if (!known) return look(element)
  const before = known.get(element)
  if (before !== undefined) return before
  const value = look(element)
  known.set(element, value)
  return value
}

/** A field of a form may be called `parentNode`, so that is asked for as the prototype has it. */
const getters: { parentNode: ((this: Node) => Node | null) | null } = { parentNode: null }

/** Also out of a shadow root. */
function parentOf(node: Node): Element | null {
  getters.parentNode ??= Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get ?? null
  const parent = getters.parentNode?.call(node)
  if (!parent || parent.nodeType === 1) return (parent as Element | null) ?? null
  if (parent instanceof ShadowRoot) return parent.host
  return parent instanceof Element ? parent : null
}

/** The box that is seen: its own, or where it has none that of the first thing inside. */
function boxOf(element: Element): DOMRect {
  return once(sights.boxes, element, measured)
}

function measured(element: Element): DOMRect {
  const own = element.getBoundingClientRect()
  if (own.width > 0 && own.height > 0) return own
  for (const inner of [...element.querySelectorAll('*')].slice(0, 20)) {
    const box = inner.getBoundingClientRect()
    if (box.width > 0 && box.height > 0) return box
  }
  return own
}

/** Neither it nor what it lies in is switched off. */
function isDrawn(element: Element): boolean {
  return once(sights.drawn, element, (one) => one.checkVisibility({ visibilityProperty: true }))
}

function isShown(element: Element): boolean {
  return once(sights.shown, element, isToBeSeen)
}

function isToBeSeen(element: Element): boolean {
  if (element instanceof HTMLAreaElement) return true
  if (!isDrawn(element)) return false
  const { width, height } = boxOf(element)
  const hasSize = (width > 0 || height > 0) && (hasArea(element) || (width > 0 && height > 0))
  return (hasSize || isPicture(element)) && !isFoldedAway(element)
}

/** Its style draws it, and has no size before its picture has come. */
function isPicture(element: Element): boolean {
  return !element.firstElementChild && getComputedStyle(element).content.startsWith('url(')
}

/** A line that is drawn has no width or no height, and can be clicked all the same. */
function hasArea(element: Element): boolean {
  return element instanceof SVGElement && !(element instanceof SVGSVGElement)
}

/** Inside something that has been folded to nothing. */
function isFoldedAway(element: Element): boolean {
  let node = parentOf(element)
  for (let left = 8; node && left > 0; left -= 1, node = parentOf(node))
    if (once(sights.folds, node, foldsAway)) return true
  return false
}

function foldsAway(element: Element): boolean {
  if (element.clientHeight > 0 || !(element instanceof HTMLElement)) return false
  const { overflowY, display } = getComputedStyle(element)
  return /hidden|clip/.test(overflowY) && !/inline|contents/.test(display)
}

/** Nobody sees it, but its label or its picture is what people click. */
function isStandIn(element: Element): boolean {
  if (!(element instanceof HTMLInputElement) || !/^(checkbox|radio|file)$/.test(element.type)) return false
  return element.type === 'file' || [...(element.labels ?? [])].some((label) => isShown(label))
}

function isInViewport(element: Element): boolean {
  const { left, top, right, bottom } = boxOf(element)
  return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
}

/** The innermost element at a point, through open shadow roots. */
function elementAt(x: number, y: number): Element | null {
  let found = Document.prototype.elementFromPoint.call(document, x, y)
  for (let root = found?.shadowRoot; root; root = found?.shadowRoot) {
    const inner = root.elementFromPoint(x, y)
    if (!inner || inner === found) break
    found = inner
  }
  return found
}

function holds(outer: Element, inner: Element | null): boolean {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true
  return false
}

/** Whether a click there would mean something else that lies inside. */
function isOther(element: Element, hit: Element): boolean {
  const controls =
    'a[href], button, input, select, textarea, summary, [role=button], [onclick], [contenteditable]'
  for (let node: Element | null = hit; node && node !== element; node = parentOf(node))
    if (node.matches(controls)) return true
  return false
}

/**
 * A point of the element that a click would reach, relative to its box: not its middle alone, which a badge or a
 * sticky bar may cover, but this first where `middle` says so. Null when every point that was tried belongs to something else.
 */
function clearPoint(element: Element, middle = false): { x: number; y: number } | null {
  const box = element.getBoundingClientRect()
  let second: { x: number; y: number } | null = null
  for (const [x, y] of pointsOf(element, middle)) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue
    const hit = elementAt(x, y)
    if (!hit || !holds(element, hit)) continue
    const point = { x: x - box.left, y: y - box.top }
    if (!isOther(element, hit)) return point
    second ??= point
  }
  return second
}

/** Where to try: on its words if it is a wide thing with few, then all over it. A drawn shape may be thin. */
function pointsOf(element: Element, middle: boolean): [number, number][] {
  const shape = hasArea(element)
  const rects = element instanceof HTMLAreaElement ? areaRects(element) : [...element.getClientRects()]
  const shares = shape
    ? Array.from({ length: 21 }, (_, place) => ((place * 8 + 10) % 21) / 20)
    : [0.5, 0.25, 0.75, 0.1, 0.9]
  const spread = rects
    .filter(({ width, height }) => (shape ? width + height : width * height) > 0)
    .slice(0, 5)
    .flatMap(({ left, top, width, height }) =>
      shares.flatMap((down) =>
        shares.map((across): [number, number] => [left + width * across, top + height * down]),
      ),
    )
  return middle ? spread : [...wordPoint(element), ...spread]
}

function wordPoint(element: Element): [number, number][] {
  if (!/^(li|tr|td|div|p|ul|section|article|h\d)$/.test(element.localName)) return []
  const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT)
  for (let left = 20; left > 0 && walker.nextNode(); left -= 1) {
    if (!walker.currentNode.nodeValue?.trim()) continue
    const range = new Range()
    range.selectNodeContents(walker.currentNode)
    const rect = range.getClientRects()[0]
    if (rect && rect.width > 0) return [[rect.left + rect.width / 2, rect.top + rect.height / 2]]
  }
  return []
}

/** A part of a picture has no box of its own. */
function areaRects(area: HTMLAreaElement): DOMRect[] {
  const name = area.closest('map')?.name ?? ''
  const image = Document.prototype.querySelector
    .call(document, `img[usemap="#${CSS.escape(name)}"]`)
    ?.getBoundingClientRect()
  const [left = 0, top = 0, right = 0, bottom = 0] = area.coords.split(',').map(Number)
  if (!image) return []
  if (area.shape === 'circle')
    return [new DOMRect(image.left + left - right, image.top + top - right, 2 * right, 2 * right)]
  if (area.shape === 'poly') {
    const numbers = area.coords.split(',').map(Number)
    const [xs, ys] = [numbers.filter((_, at) => at % 2 === 0), numbers.filter((_, at) => at % 2 === 1)]
    const [west, north] = [Math.min(...xs), Math.min(...ys)]
    return [
      new DOMRect(image.left + west, image.top + north, Math.max(...xs) - west, Math.max(...ys) - north),
    ]
  }
  return [new DOMRect(image.left + left, image.top + top, right - left, bottom - top)]
}

const parts = [
  whileStill,
  once,
  parentOf,
  boxOf,
  measured,
  isDrawn,
  isShown,
  isToBeSeen,
  isPicture,
  hasArea,
  isFoldedAway,
  foldsAway,
  isStandIn,
  isInViewport,
  elementAt,
  holds,
  isOther,
  clearPoint,
  pointsOf,
  wordPoint,
  areaRects,
]

/** As text, for a page. */
export const geometrySource = [
  `const sights = ${JSON.stringify(sights)}`,
  `const getters = ${JSON.stringify(getters)}`,
  ...parts.map(String),
].join('\n')
