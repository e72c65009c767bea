import type { Page } from 'playwright'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import type { Action } from '../../../runtime/tabs/schema.ts'
import type { Point } from '../page-script/geometry.ts'
import type { Identity } from '../page-script/identity.ts'
import { inTime, pause } from '../time-limit.ts'
import { type Handle, type Named, PageElement } from './element.ts'
import { changedElement, notFound, staleNumber, toFailure } from './failure.ts'
import { callDocument, frameIdOf, type World, type Worlds, worldsOf } from './isolated-world.ts'
import { type PageView, viewPage } from './snapshot.ts'

export type Naming = Pick<Action, 'selector' | 'index' | 'ref'>

/** Milliseconds between searches for an element that is not on the page yet. */
const retryEvery = 100

export const namesElement = ({ selector, index, ref }: Naming): boolean =>
  selector !== undefined || index !== undefined || ref !== undefined

interface Wanted {
  view: PageView | null
  until: number
  /** What the selector's element was when the caller found it. */
  identity?: Identity | null | undefined
}

/**
 * The element that an act names, in whatever frame it is. Throws `BrowserFailure` when there is none in time.
 */
export async function findElement(
  page: Page,
  { selector, index, ref }: Naming,
  { view, until, identity = null }: Wanted,
): Promise<PageElement> {
  if (index !== undefined) {
    if (!view) throw staleNumber(`No snapshot has shown you number ${index}`)
    return view.element(index)
  }
  if (ref !== undefined) return findByRef(page, ref, view)
  if (selector !== undefined)
    return findBySelector(page, selector, { until, named: { identity, refuse: changedElement } })
  throw new BrowserFailure(
    'element_not_found',
    'The act names no element',
    'Give index (from the snapshot), ref, selector, or x and y',
  )
}

/** The element may have been rendered again since the last snapshot. */
async function findByRef(page: Page, ref: string, view: PageView | null): Promise<PageElement> {
  const found = (await view?.elementOfRef(ref)) ?? (await (await viewPage(page)).elementOfRef(ref))
  if (!found) throw notFound(`the ref ${ref}`)
  return found
}

async function findBySelector(
  page: Page,
  selector: string,
  { until, named }: { until: number; named: Omit<Named, 'id'> },
): Promise<PageElement> {
  for (;;) {
    const found = await matches(page, selector)
    for (const handle of found)
      if (await handle.isVisible().catch(() => false)) return PageElement.of(page, handle, named)
    if (found[0]) return PageElement.of(page, found[0], named)
    if (Date.now() >= until) throw notFound(`"${selector}"`)
    await pause(retryEvery)
  }
}

async function matches(page: Page, selector: string): Promise<Handle[]> {
  for (const frame of page.frames()) {
    const found = await frame.$$(selector).catch((thrown: Error) => {
      // A frame that disappears while it is searched has no match.
      if (/context|detached|closed/i.test(thrown.message)) return []
      throw toFailure(thrown)
    })
    if (found.length > 0) return found as Handle[]
  }
  return []
}

/** Milliseconds to look at one element. */
const lookLimit = 2_000

/** The control at a point of the viewport, in whatever frame. */
export const elementAtPoint = (page: Page, point: Point): Promise<PageElement | null> =>
  inDocuments(page, async (worlds) => {
    let found: PageElement | null = null
    let [world, at]: [World | undefined, Point] = [worlds.root, point]
    while (world) {
      const id: number | null = await callDocument(world, 'controlAt', at)
      if (id === null) break
      found = new PageElement(page, world, id)
      const frame_id: string | null = await frameIdOf(world, id)
      const corner: Point = await found.ask('contentCorner')
      at = { x: at.x - corner.x, y: at.y - corner.y }
      world = worlds.all.get(frame_id ?? '')
    }
    return found
  })

/** The element with the focus, in whatever frame; null if the page itself has it. */
export const focusedElement = (page: Page): Promise<PageElement | null> =>
  inDocuments(page, async (worlds) => {
    let found: PageElement | null = null
    let world: World | undefined = worlds.root
    while (world) {
      const id: number | null = await callDocument(world, 'focusedElement')
      if (id === null) break
      found = new PageElement(page, world, id)
      const frame_id: string | null = await frameIdOf(world, id)
      world = worlds.all.get(frame_id ?? '')
    }
    return found
  })

async function inDocuments(
  page: Page,
  look: (worlds: Worlds) => Promise<PageElement | null>,
): Promise<PageElement | null> {
  const looking = worldsOf(page).then((worlds) => worlds && look(worlds))
  return inTime(lookLimit, looking).catch(() => null)
}
