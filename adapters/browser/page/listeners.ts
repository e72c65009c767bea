import { evaluateIn, type World } from './worlds.ts'

/** What a person can do to an element; who listens for it wants to be used. */
const events = [
  'click',
  'dblclick',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'contextmenu',
  'dragstart',
  'drop',
]
const hovers = ['mouseenter', 'mouseover', 'pointerenter', 'pointerover']

/**
 * Only the console of the debugger knows who listens, and only to the page's own scripts. Objects cannot pass from
 * their world to ours, but events do: each element that listens is sent one whose name the page does not know.
 */
const call = (name: string) => `(() => {
  const wanted = ${JSON.stringify(Object.fromEntries([...events.map((name) => [name, 1]), ...hovers.map((name) => [name, 2])]))}
  let left = 30000
  const tell = (element, name) => element.dispatchEvent(new Event(name, { composed: true }))
  const visit = (parent) => {
    for (let element = parent.firstElementChild; element && left > 0; element = element.nextElementSibling) {
      left -= 1
      let heard = 0
      for (const type in getEventListeners(element)) heard |= wanted[type]
      if (heard & 1) tell(element, ${JSON.stringify(name)})
      if (heard & 2) tell(element, ${JSON.stringify(`${name}h`)})
      if (element.shadowRoot) visit(element.shadowRoot)
      visit(element)
    }
  }
  visit(document)
})()`

/** Left in our own world for the walk to take: who listens for use, and who for the pointer that passes. */
const hear = (name: string) => `(() => {
  const used = new Set()
  const hovered = new Set()
  const note = (set) => (event) => set.add(event.composedPath()[0])
  const [use, hover] = [note(used), note(hovered)]
  addEventListener(${JSON.stringify(name)}, use, true)
  addEventListener(${JSON.stringify(`${name}h`)}, hover, true)
  globalThis.__hearthd_heard = () => {
    removeEventListener(${JSON.stringify(name)}, use, true)
    removeEventListener(${JSON.stringify(`${name}h`)}, hover, true)
    delete globalThis.__hearthd_heard
    return { used, hovered }
  }
})()`

/** Goes before the walk of a document, in the same breath. */
export async function hearListeners(world: World): Promise<void> {
  const name = `x${crypto.randomUUID()}`
  await Promise.all([
    evaluateIn(world, world.apart, hear(name)),
    evaluateIn(world, world.own, call(name)).catch(() => undefined),
  ])
}
