/**
 * Runs in the page's own world with the debugger's console functions: only `getEventListeners` knows which
 * elements have listeners, and only those of that world. Each element with listeners gets an event that only
 * the isolated world listens to.
 */

declare function getEventListeners(element: Element): Record<string, unknown>
/** Set by the bundler: an event type that the page does not know. */
declare const secret: string

const used = /^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart|contextmenu|dragstart|drop)$/
const hovered = /^(mouseenter|mouseover|pointerenter|pointerover)$/

/**
 * The root of a framework such as React listens to some 80 types, which does not show what in it can be used. Elements
 * with a click handler of their own have an empty `onclick` as well, for old browsers.
 */
const isRoot = (types: string[]): boolean => types.length > 40

let left = 30_000

function visit(parent: ParentNode): void {
  for (let element = parent.firstElementChild; element && left > 0; element = element.nextElementSibling, left -= 1) {
    const types = Object.keys(getEventListeners(element))
    const reported = isRoot(types) ? [] : types
    if (reported.some((type) => used.test(type))) report(element, `${secret}u`)
    if (reported.some((type) => hovered.test(type))) report(element, `${secret}h`)
    if (element.shadowRoot) visit(element.shadowRoot)
    visit(element)
  }
}

const report = (element: Element, type: string): boolean => element.dispatchEvent(new Event(type, { composed: true }))

visit(document)
