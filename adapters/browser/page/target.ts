import type { ElementHandle, Page } from 'playwright'
import type { Action } from '../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import { ask, notePage } from './apart.ts'
import { notFound, stale, toFailure } from './failure.ts'
import { geometrySource } from './inside/geometry.ts'
import { type PageView, viewPage } from './snapshot.ts'

export type Element_ = ElementHandle<Element>

export type Naming = Pick<Action, 'selector' | 'index' | 'ref'>

/** Milliseconds between two looks for what is not there yet. */
const pause = 100

export const namesElement = ({ selector, index, ref }: Naming): boolean =>
  selector !== undefined || index !== undefined || ref !== undefined

/** The element that an act names, in whatever frame it is. Throws `BrowserFailure` when there is none in time. */
export async function findElement(
  page: Page,
  naming: Naming,
  { view, until }: { view: PageView | null; until: number },
): Promise<Element_> {
  const element = await find(page, naming, { view, until })
  notePage(element, page)
  return element
}

async function find(
  page: Page,
  { selector, index, ref }: Naming,
  { view, until }: { view: PageView | null; until: number },
): Promise<Element_> {
  if (index !== undefined) return (await view?.node(index)) ?? raise(stale())
  if (ref !== undefined) return findByRef(page, ref, view)
  if (selector !== undefined) return findBySelector(page, selector, until)
  throw new BrowserFailure(
    'element_not_found',
    'The act names no element',
    'Give index (of the snapshot), ref, selector, or x and y',
  )
}

function raise(failure: BrowserFailure): never {
  throw failure
}

/** What it names may have been drawn anew since the last snapshot. */
async function findByRef(page: Page, ref: string, view: PageView | null): Promise<Element_> {
  const known = await view?.nodeByRef(ref)
  if (known) return known
  const fresh = await viewPage(page)
  const found = await fresh.nodeByRef(ref)
  void fresh.forget()
  return found ?? raise(notFound(`the ref ${ref}`))
}

async function findBySelector(page: Page, selector: string, until: number): Promise<Element_> {
  for (;;) {
    const found = await matches(page, selector)
    for (const element of found) if (await element.isVisible().catch(() => false)) return element
    if (found[0]) return found[0]
    if (Date.now() >= until) throw notFound(`"${selector}"`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function matches(page: Page, selector: string): Promise<Element_[]> {
  for (const frame of page.frames()) {
    const found = await frame.$$(selector).catch((thrown: Error) => {
      // A frame that goes away while it is searched has nothing.
      if (/context|detached|closed/i.test(thrown.message)) return []
      throw toFailure(thrown)
    })
    if (found.length > 0) return found as Element_[]
  }
  return []
}

export interface Point {
  x: number
  y: number
  /** It is where the driver would press by itself, and sooner than at a point that it is given. */
  isMiddle?: boolean
}

const pointSource = `(node, middle) => {
  ${geometrySource}
  const { top, left, bottom, right } = node.getBoundingClientRect()
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const point = clearPoint(node, middle)
  if (point) {
    const { width, height } = node.getBoundingClientRect()
    const isMiddle = Math.abs(point.x - width / 2) < 1 && Math.abs(point.y - height / 2) < 1
    return { ...point, isMiddle: isMiddle && node.getClientRects().length === 1 }
  }
  // It may be in sight of the page and out of sight of the box it lies in.
  node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  return clearPoint(node, middle)
}`

/**
 * Brings the element into view and finds a point of it that a click would reach, relative to its box. Null when all of
 * it is covered; undefined when it cannot be said.
 */
export const pointOf = (element: Element_, middle = false): Promise<Point | null | undefined> =>
  ask<Point | null>(element, pointSource, middle).catch((thrown: Error) => {
    if (/context|attached|detached|closed|destroyed/i.test(thrown.message)) throw thrown
    return undefined
  })
