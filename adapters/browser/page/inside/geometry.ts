// Runs inside a page; see kinds.ts.

/** The box that is seen: its own, or where it has none that of the first thing inside. */
function boxOf(element: Element): DOMRect {
  const own = element.getBoundingClientRect()
  if (own.width > 0 && own.height > 0) return own
  for (const inner of [...element.querySelectorAll('*')].slice(0, 20)) {
    const box = inner.getBoundingClientRect()
    if (box.width > 0 && box.height > 0) return box
  }
  return own
}

function isShown(element: Element): boolean {
  if (element instanceof HTMLAreaElement) return true
  if (!element.checkVisibility({ visibilityProperty: true })) return false
  const { width, height } = boxOf(element)
  return width > 0 && height > 0
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
  let found = document.elementFromPoint(x, y)
  for (let root = found?.shadowRoot; root; root = found?.shadowRoot) {
    const inner = root.elementFromPoint(x, y)
    if (!inner || inner === found) break
    found = inner
  }
  return found
}

function holds(outer: Element, inner: Element | null): boolean {
  for (let node: Node | null = inner; node; node = node.parentNode ?? (node as ShadowRoot).host ?? null)
    if (node === outer) return true
  return false
}

/**
 * A point of the element that a click would reach, relative to its box: not its middle alone, which a badge or a
 * sticky bar may cover. Null when every point that was tried belongs to something else.
 */
function clearPoint(element: Element): { x: number; y: number } | null {
  const box = element.getBoundingClientRect()
  const shares = [0.5, 0.25, 0.75, 0.1, 0.9]
  const rects = [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
  for (const rect of rects.slice(0, 5)) {
    for (const down of shares) {
      for (const across of shares) {
        const [x, y] = [rect.left + rect.width * across, rect.top + rect.height * down]
        if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue
        if (holds(element, elementAt(x, y))) return { x: x - box.left, y: y - box.top }
      }
    }
  }
  return null
}

const parts = [boxOf, isShown, isStandIn, isInViewport, elementAt, holds, clearPoint]

/** As text, for a page. */
export const geometrySource = parts.map(String).join('\n')
