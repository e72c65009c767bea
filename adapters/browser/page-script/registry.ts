/** Numbers for the elements of a document, by which the daemon refers to them. */

const ids = new WeakMap<Element, number>()
const elements = new Map<number, WeakRef<Element>>()
const collected = new FinalizationRegistry<number>((id) => elements.delete(id))
let last = 0

/** The number of an element, the same for as long as the document lives. */
export function idOf(element: Element): number {
  const id = ids.get(element)
  if (id !== undefined) return id
  last += 1
  ids.set(element, last)
  elements.set(last, new WeakRef(element))
  collected.register(element, last)
  return last
}

/** Null once the element has left the document. */
export function elementOf(id: number): Element | null {
  const element = elements.get(id)?.deref()
  return element?.isConnected ? element : null
}

interface Channel {
  /** Event type that only the daemon's own scripts know. */
  secret: string
  /** Names this document. */
  token: string
}

let channel: Channel | null = null
/** The element that each request of `receive` carried. */
const received = new Map<string, number>()

/**
 * Exchanges elements with Playwright's selector engine (see `selector-engine.ts`), which runs in another isolated
 * world of the same document: objects cannot pass between worlds, but events can.
 */
export function listen(opened: Channel): void {
  channel = opened
  // Idempotent, and repeated because `document.open()` removes every listener.
  addEventListener(opened.secret, answer as EventListener, true)
}

export const listenAgain = (): void => {
  if (channel) listen(channel)
}

/** `put.<key>` passes an element, `get.<token>.<id>` asks for one. */
function answer(event: CustomEvent<string>): void {
  const [operation, name = '', id] = event.detail.split('.')
  if (operation === 'put') received.set(name, idOf(event.composedPath()[0] as Element))
  else if (name === channel?.token)
    elementOf(Number(id))?.dispatchEvent(new Event(`${channel.secret}!`, { composed: true }))
}

/** The element that the selector engine put under this key; null if it lies in another document. */
export function takeReceived(key: string): number | null {
  const id = received.get(key) ?? null
  received.delete(key)
  return id
}
