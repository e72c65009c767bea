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
  const wanted = ${JSON.stringify(events)}
  const hovering = ${JSON.stringify(hovers)}
  let left = 30000
  const tell = (element, name) => element.dispatchEvent(new Event(name, { composed: true }))
  const visit = (parent) => {
    for (let element = parent.firstElementChild; element && left > 0; element = element.nextElementSibling) {
      left -= 1
      const listeners = getEventListeners(element)
      let uses = false
      for (let at = 0; at < wanted.length && !uses; at += 1) uses = listeners[wanted[at]] !== undefined
      if (uses) tell(element, ${JSON.stringify(name)})
      let hovers = false
      for (let at = 0; at < hovering.length && !hovers; at += 1) hovers = listeners[hovering[at]] !== undefined
      if (hovers) tell(element, ${JSON.stringify(`${name}h`)})
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
