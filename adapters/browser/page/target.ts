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

type Naming = Pick<Action, 'selector' | 'index' | 'ref'>

/** Milliseconds between searches for an element that is not on the page yet. */
const retryEvery = 100

export const namesElement = ({ selector, index, ref }: Naming): boolean =>
  selector !== undefined || index !== undefined || ref !== undefined

interface Search {
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
  { view, until, identity = null }: Search,
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
  const element = (await view?.elementOfRef(ref)) ?? (await (await viewPage(page)).elementOfRef(ref))
  if (!element) throw notFound(`the ref ${ref}`)
  return element
}

async function findBySelector(
  page: Page,
  selector: string,
  { until, named }: { until: number; named: Omit<Named, 'id'> },
): Promise<PageElement> {
  for (;;) {
    const handles = await matches(page, selector)
    for (const handle of handles)
      if (await handle.isVisible().catch(() => false)) return PageElement.of(page, handle, named)
    if (handles[0]) return PageElement.of(page, handles[0], named)
    if (Date.now() >= until) throw notFound(`"${selector}"`)
    await pause(retryEvery)
  }
}

async function matches(page: Page, selector: string): Promise<Handle[]> {
  for (const frame of page.frames()) {
    const handles = await frame.$$(selector).catch((thrown: Error) => {
      // A frame that disappears while it is searched has no match.
      if (/context|detached|closed/i.test(thrown.message)) return []
      throw toFailure(thrown)
    })
    if (handles.length > 0) return handles as Handle[]
  }
  return []
}

/** Milliseconds to look at one element. */
const lookLimit = 2_000

/** The control at a point of the viewport, in whatever frame. */
export const elementAtPoint = (page: Page, point: Point): Promise<PageElement | null> =>
  inDocuments(page, async (worlds) => {
    let match: PageElement | null = null
    let [world, at]: [World | undefined, Point] = [worlds.root, point]
    while (world) {
      const id: number | null = await callDocument(world, 'controlAt', at)
      if (id === null) break
      match = new PageElement(page, world, id)
      const frame_id: string | null = await frameIdOf(world, id)
      const corner: Point = await match.ask('contentCorner')
      at = { x: at.x - corner.x, y: at.y - corner.y }
      world = worlds.all.get(frame_id ?? '')
    }
    return match
  })

/** The element with the focus, in whatever frame; null if the page itself has it. */
export const focusedElement = (page: Page): Promise<PageElement | null> =>
  inDocuments(page, async (worlds) => {
    let match: PageElement | null = null
    let world: World | undefined = worlds.root
    while (world) {
      const id: number | null = await callDocument(world, 'focusedElement')
      if (id === null) break
      match = new PageElement(page, world, id)
      const frame_id: string | null = await frameIdOf(world, id)
      world = worlds.all.get(frame_id ?? '')
    }
    return match
  })

async function inDocuments(
  page: Page,
  look: (worlds: Worlds) => Promise<PageElement | null>,
): Promise<PageElement | null> {
  const looking = worldsOf(page).then((worlds) => worlds && look(worlds))
  return inTime(lookLimit, looking).catch(() => null)
}
