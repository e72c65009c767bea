import { type ElementHandle, type Frame, type Page, selectors } from 'playwright'
import { type ListedElement, lineBody } from '../../../runtime/browser/lines.ts'
import { engineSource, handleAt, keptFor, notePlace, type Place } from './apart.ts'
import { evaluateIn, type World } from './worlds.ts'

/** An element of a view, where it is kept. */
export interface ListedNode extends ListedElement {
  world: World
  /** Place in what the world keeps under the key of the view. */
  position: number
  /** Address of its document, to find the frame sooner. */
  url: string
}

/** Milliseconds for a frame to say whether it has a node. */
const frameLimit = 2_000

let registered: Promise<void> | null = null

/** Once for each process. */
export function registerEngine(): Promise<void> {
  registered ??= selectors
    .register('hearthd', engineSource, { contentScript: true })
    .catch((thrown: Error) => {
      if (!/already/i.test(thrown.message)) throw thrown
    })
  return registered
}

/** What was told of a page last: its numbers mean the nodes of that moment and no others. */
export class PageView {
  readonly elements: readonly ListedNode[]
  readonly #page: Page
  readonly #key: string

  constructor(page: Page, key: string, elements: readonly ListedNode[]) {
    this.#page = page
    this.#key = key
    this.elements = elements
  }

  /** The node behind a number, or null when there is none or it has left the page. */
  async node(index: number): Promise<ElementHandle<Element> | null> {
    return this.#handle(this.elements[index - 1])
  }

  async nodeByRef(ref: string): Promise<ElementHandle<Element> | null> {
    return this.#handle(this.elements.find((element) => element.ref === ref))
  }

  lines(): Map<string, string> {
    return new Map(this.elements.map((element) => [element.ref, lineBody(element)]))
  }

  async forget(): Promise<void> {
    const worlds = new Set(this.elements.map(({ world }) => world))
    const expression = `globalThis.__hearthd_views?.delete(${JSON.stringify(this.#key)})`
    await Promise.all(
      [...worlds].map((world) => evaluateIn(world, world.apart, expression).catch(() => undefined)),
    )
  }

  async #handle(element: ListedNode | undefined): Promise<ElementHandle<Element> | null> {
    if (!element) return null
    const { world, position } = element
    const place = { world, key: this.#key, position }
    if (!world.frame) return this.#search(element, place)
    const kept = await within(frameLimit, keptFor(place))
    return kept && handleAt(world.frame, kept)
  }

  async #search(element: ListedNode, place: Place): Promise<ElementHandle<Element> | null> {
    const selector = `hearthd=${this.#key}.${element.position}`
    for (const frame of this.#framesFor(element)) {
      const found = (await within(frameLimit, frame.$(selector))) as ElementHandle<Element> | null
      if (!found) continue
      notePlace(found, place)
      return found
    }
    return null
  }

  /** A key is in one place only, so the order is but a matter of time. */
  #framesFor({ url }: ListedNode): Frame[] {
    const frames = this.#page.frames()
    return [
      ...frames.filter((frame) => frame.url() === url),
      ...frames.filter((frame) => frame.url() !== url),
    ]
  }
}

/** What comes in time, else null; also for what fails, for a frame may vanish while it is looked at. */
export async function within<Value>(milliseconds: number, work: Promise<Value>): Promise<Value | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), milliseconds)
  try {
    return await Promise.race([work.catch(() => null), promise])
  } finally {
    clearTimeout(timer)
  }
}
