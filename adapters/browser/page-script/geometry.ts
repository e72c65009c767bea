/** Where elements are, and whether people can see and reach them. */

let walking = false
const caches: Map<Element, unknown>[] = []

/**
 * Runs a walk of the page during which nothing moves: each element is measured once, because measuring forces
 * layout.
 */
export function withCaches<Value>(walk: () => Value): Value {
  walking = true
  try {
    return walk()
  } finally {
    walking = false
    for (const cache of caches) cache.clear()
  }
}

/** The same function, with its results cached during a walk. */
export function cached<Value>(look: (element: Element) => Value): (element: Element) => Value {
  const cache = new Map<Element, Value>()
  caches.push(cache)
  return (element) => {
    if (!walking) return look(element)
    const cached = cache.get(element)
    if (cached !== undefined) return cached
    const value = look(element)
    cache.set(element, value)
    return value
  }
}

/**
 * Fields of a form can be named `parentNode` and shadow the property of the form, so the prototype's getter
 * is used.
 */
const parentNode = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get

/** The parent element; the host for the root of a shadow tree. */
export function parentOf(node: Node): Element | null {
  const parent = parentNode?.call(node) as Node | null
  if (!parent || parent.nodeType === 1) return (parent as Element | null) ?? null
  return parent instanceof ShadowRoot ? parent.host : null
}

export function* ancestorsOf(element: Element): Generator<Element> {
  for (let node = parentOf(element); node; node = parentOf(node)) yield node
}

/** The element with the focus, which a page cannot shadow with a form field of that name. */
export function activeElement(root: Document | ShadowRoot = document): Element | null {
  const owner = root instanceof ShadowRoot ? ShadowRoot.prototype : Document.prototype
  return Reflect.get(owner, 'activeElement', root) as Element | null
}

export const isSized = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect()
  return width > 0 && height > 0
}

/** The visible box: the element's own, or that of the first descendant with a size. */
const boxOf = cached((element) => {
  const own = element.getBoundingClientRect()
  if (own.width > 0 && own.height > 0) return own
  const inner = [...element.querySelectorAll('*')].slice(0, 20).find(isSized)
  return inner?.getBoundingClientRect() ?? own
})

/** Neither the element nor an ancestor is hidden by its style. */
export const isRendered = cached((element) => element.checkVisibility({ visibilityProperty: true }))

export const isShown = cached((element) => {
  if (element instanceof HTMLAreaElement) return true
  if (!isRendered(element) || isInert(element)) return false
  const { width, height } = boxOf(element)
  const hasSize = (width > 0 || height > 0) && (isShape(element) || (width > 0 && height > 0))
  return (hasSize || isStyledPicture(element)) && !isFoldedAway(element)
})

/** An inert subtree receives neither clicks nor focus; nor does a page while a modal dialog is open. */
const isInert = cached((element): boolean => {
  if (element instanceof HTMLElement && element.inert) return true
  if (element instanceof HTMLDialogElement && element.matches(':modal')) return false
  const parent = parentOf(element)
  return parent === null ? hasModal(element) : isInert(parent)
})

const hasModal = cached(() => Document.prototype.querySelector.call(document, 'dialog:modal:not(:fullscreen)') !== null)

/** Its style replaces its content with an image, so it has no size until that has loaded. */
const isStyledPicture = (element: Element): boolean =>
  !element.firstElementChild && getComputedStyle(element).content.startsWith('url(')

/** A line in a drawing has no width or no height, and can still be clicked. */
const isShape = (element: Element): boolean => element instanceof SVGElement && !(element instanceof SVGSVGElement)

/** Within a collapsed box, such as a closed accordion. */
function isFoldedAway(element: Element): boolean {
  let left = 8
  for (const node of ancestorsOf(element)) {
    if (left-- === 0) return false
    if (isCollapsed(node)) return true
  }
  return false
}

const isCollapsed = cached((element) => {
  if (element.clientHeight > 0 || !(element instanceof HTMLElement)) return false
  const { overflowY, display } = getComputedStyle(element)
  return /hidden|clip/.test(overflowY) && !/inline|contents/.test(display)
})

/** A hidden field whose visible label is what people click. */
export function isHiddenBehindLabel(element: Element): boolean {
  if (!(element instanceof HTMLInputElement) || !/^(checkbox|radio|file)$/.test(element.type)) return false
  return element.type === 'file' || [...(element.labels ?? [])].some((label) => isShown(label))
}

export function isInViewport(element: Element): boolean {
  const { left, top, right, bottom } = boxOf(element)
  return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
}

/** The innermost element at a point of the viewport, through open shadow roots. */
export function elementAt(x: number, y: number): Element | null {
  let element = Document.prototype.elementFromPoint.call(document, x, y)
  for (let root = element?.shadowRoot; root; root = element?.shadowRoot) {
    const inner = root.elementFromPoint(x, y)
    if (!inner || inner === element) break
    element = inner
  }
  return element
}

function contains(outer: Element, inner: Element): boolean {
  if (inner === outer) return true
  for (const node of ancestorsOf(inner)) if (node === outer) return true
  return false
}

/** Whether a click on `hit`, within the element, would mean another control there. */
function isOtherControl(element: Element, hit: Element): boolean {
  const controls = 'a[href], button, input, select, textarea, summary, [role=button], [onclick], [contenteditable]'
  for (let node: Element | null = hit; node && node !== element; node = parentOf(node))
    if (node.matches(controls)) return true
  return false
}

export interface Point {
  x: number
  y: number
}

export interface ClickPoint extends Point {
  /**
   * Relative to the padding box, as Playwright takes positions; `x` and `y` are relative to the border box.
   */
  position: Point
  /** Whether this is the middle, where Playwright clicks by default. */
  is_middle: boolean
}

/**
 * Scrolls the element into view and returns a point of it that a click would reach; null if all of it is
 * covered. `middle` tries the middle before the element's text.
 */
export function clickPoint(element: Element, middle: boolean): ClickPoint | null {
  const { top, left, bottom, right } = element.getBoundingClientRect()
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth) scrollToCenter(element)
  const point = reachablePoint(element, middle)
  if (point) return point
  // It may be within the viewport and outside the visible part of its scroll container.
  scrollToCenter(element)
  return reachablePoint(element, middle)
}

export const scrollToCenter = (element: Element): void =>
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })

/** Not the middle alone, which a badge or a sticky bar may cover. */
function reachablePoint(element: Element, middle: boolean): ClickPoint | null {
  let second: Point | null = null
  for (const [x, y] of candidatePoints(element, middle)) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue
    const hit = elementAt(x, y)
    if (!hit || !contains(element, hit)) continue
    if (!isOtherControl(element, hit)) return describePoint(element, { x, y })
    second ??= { x, y }
  }
  return second && describePoint(element, second)
}

function describePoint(element: Element, { x, y }: Point): ClickPoint {
  const box = element.getBoundingClientRect()
  const point = { x: x - box.left, y: y - box.top }
  const { borderLeftWidth, borderTopWidth } = getComputedStyle(element)
  const position = {
    x: point.x - (Number.parseInt(borderLeftWidth, 10) || 0),
    y: point.y - (Number.parseInt(borderTopWidth, 10) || 0),
  }
  const is_middle =
    Math.abs(point.x - box.width / 2) < 1 &&
    Math.abs(point.y - box.height / 2) < 1 &&
    element.getClientRects().length === 1
  return { ...point, position, is_middle }
}

/**
 * The points to try: first on the text of a wide element with little text, then all over its boxes. A drawn
 * shape may be thin.
 */
function candidatePoints(element: Element, middle: boolean): [number, number][] {
  const shape = isShape(element)
  const rects = element instanceof HTMLAreaElement ? areaRects(element) : [...element.getClientRects()]
  const shares = shape
    ? Array.from({ length: 21 }, (_, place) => ((place * 8 + 10) % 21) / 20)
    : [0.5, 0.25, 0.75, 0.1, 0.9]
  const spread = rects
    .filter(({ width, height }) => (shape ? width + height : width * height) > 0)
    .slice(0, 5)
    .flatMap(({ left, top, width, height }) =>
      shares.flatMap((down) => shares.map((across): [number, number] => [left + width * across, top + height * down])),
    )
  return middle ? spread : [...textPoint(element), ...spread]
}

function textPoint(element: Element): [number, number][] {
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

export const imageOfArea = (area: Element): HTMLImageElement | null => {
  const name = area.closest('map')?.getAttribute('name') ?? ''
  return Document.prototype.querySelector.call(document, `img[usemap="#${CSS.escape(name)}"]`) as HTMLImageElement
}

/** A part of an image map has no box of its own. */
function areaRects(area: HTMLAreaElement): DOMRect[] {
  const image = imageOfArea(area)?.getBoundingClientRect()
  const numbers = area.coords.split(',').map(Number)
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers
  if (!image) return []
  if (area.shape === 'circle')
    return [new DOMRect(image.left + left - right, image.top + top - right, 2 * right, 2 * right)]
  if (area.shape !== 'poly') return [new DOMRect(image.left + left, image.top + top, right - left, bottom - top)]
  const [xs, ys] = [numbers.filter((_, at) => at % 2 === 0), numbers.filter((_, at) => at % 2 === 1)]
  const [west, north] = [Math.min(...xs), Math.min(...ys)]
  return [new DOMRect(image.left + west, image.top + north, Math.max(...xs) - west, Math.max(...ys) - north)]
}
