import type { ElementHandle, Frame, JSHandle, Page } from 'playwright'
import { type ListedElement, lineBody, linesOf, refOf } from '../../../runtime/browser/lines.ts'
import type { Snapshot } from '../../../runtime/browser/schema.ts'
import type { SnapshotOptions } from '../../../runtime/ports/browser.ts'
import { geometrySource } from './inside/geometry.ts'
import { kindsSource } from './inside/kinds.ts'
import { namesSource } from './inside/names.ts'
import { type Seen, walkSource } from './inside/walk.ts'
import { markListeners } from './listeners.ts'

/** Characters of a snapshot unless more are asked for. */
export const usualChars = 20_000
/** Milliseconds that one frame may take; a frame that loads for ever is left out. */
const frameLimit = 3_000

/** What the text of a page would need if it stood alone there. */
export const insideSource = [kindsSource, namesSource, geometrySource, walkSource].join('\n')

interface ListedNode extends ListedElement {
  nodes: JSHandle<Element[]>
  /** Place in `nodes`. */
  position: number
}

/** What was told of a page last: its numbers mean the nodes of that moment and no others. */
export class PageView {
  readonly elements: readonly ListedNode[]

  constructor(elements: readonly ListedNode[]) {
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
    const handles = new Set(this.elements.map(({ nodes }) => nodes))
    await Promise.all([...handles].map((handle) => handle.dispose().catch(() => undefined)))
  }

  async #handle(element: ListedNode | undefined): Promise<ElementHandle<Element> | null> {
    if (!element) return null
    try {
      const node = await element.nodes.evaluateHandle((nodes, position) => {
        const found = nodes[position]
        return found?.isConnected ? found : null
      }, element.position)
      return node.asElement() as ElementHandle<Element> | null
    } catch {
      return null
    }
  }
}

let marks = 0

/** Looks at every frame of a page. */
export async function viewPage(page: Page): Promise<PageView> {
  marks += 1
  const mark = `__${marks.toString(36)}${Math.random().toString(36).slice(2)}`
  await within(frameLimit, markListeners(page, mark))
  const frames = await Promise.all(
    page.frames().map((frame, number) => within(frameLimit, viewFrame(frame, number, mark))),
  )
  return new PageView(frames.flatMap((elements) => elements ?? []))
}

async function viewFrame(frame: Frame, number: number, mark: string): Promise<ListedNode[]> {
  if (number > 0 && !(await isShownFrame(frame))) return []
  const source = `(() => {\n${insideSource}\nreturn walk(${JSON.stringify(mark)})\n})()`
  const result = (await frame.evaluateHandle(source)) as JSHandle<{ seen: string; nodes: Element[] }>
  const seen = JSON.parse(await result.evaluate(({ seen }) => seen)) as Seen[]
  const nodes = (await result.getProperty('nodes')) as JSHandle<Element[]>
  await result.dispose()
  const counts = new Map<string, number>()
  return seen.map((element, position) => {
    const same = `${number}\u0000${element.kind}\u0000${element.label}`
    const nth = counts.get(same) ?? 0
    counts.set(same, nth + 1)
    return { ...element, ref: refOf([String(number), element.kind, element.label], nth), nodes, position }
  })
}

async function isShownFrame(frame: Frame): Promise<boolean> {
  const owner = await frame.frameElement()
  return owner.isVisible()
}

/** What comes in time, else null; also for what fails, for a frame may vanish while it is looked at. */
async function within<Value>(milliseconds: number, work: Promise<Value>): Promise<Value | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), milliseconds)
  try {
    return await Promise.race([work.catch(() => null), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The snapshot that a view is told as; `before` is what the reader knows when only what is new is wanted. */
export function tell(
  view: PageView,
  { max_chars = usualChars, viewport = false, diff = false }: SnapshotOptions,
  before: PageView | null,
): Pick<Snapshot, 'snapshot' | 'element_count' | 'truncated'> {
  const known = diff && before ? before.lines() : null
  const { text, truncated } = linesOf(view.elements, { max_chars, viewport, known })
  return { snapshot: text, element_count: view.elements.length, truncated }
}
