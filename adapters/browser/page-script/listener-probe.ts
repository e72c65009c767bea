/**
 * Runs in the page's own world with the debugger's console functions: only `getEventListeners` knows which
 * elements have listeners, and only those of that world. Each element with listeners gets an event that only
 * the isolated world listens to.
 */

declare function getEventListeners(element: Element): Record<string, unknown>
/** Set by the bundler: an event type that the page does not know. */
declare const secret: string

const used =
  /^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart|contextmenu|dragstart|drop)$/
const hovered = /^(mouseenter|mouseover|pointerenter|pointerover)$/

let left = 30_000

function visit(parent: ParentNode): void {
  for (
    let element = parent.firstElementChild;
    element && left > 0;
    element = element.nextElementSibling, left -= 1
  ) {
    const types = Object.keys(getEventListeners(element))
    if (types.some((type) => used.test(type))) report(element, `${secret}u`)
    if (types.some((type) => hovered.test(type))) report(element, `${secret}h`)
    if (element.shadowRoot) visit(element.shadowRoot)
    visit(element)
  }
}

const report = (element: Element, type: string): boolean =>
  element.dispatchEvent(new Event(type, { composed: true }))

visit(document)
