import type { Page } from 'playwright'
import type { Action } from '../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import { pause } from '../time-limit.ts'
import { type Handle, PageElement } from './element.ts'
import { notFound, staleNumber, toFailure } from './failure.ts'
import { type PageView, viewPage } from './snapshot.ts'

export type Naming = Pick<Action, 'selector' | 'index' | 'ref'>

/** Milliseconds between searches for an element that is not on the page yet. */
const retryEvery = 100

export const namesElement = ({ selector, index, ref }: Naming): boolean =>
  selector !== undefined || index !== undefined || ref !== undefined

/**
 * The element that an act names, in whatever frame it is. Throws `BrowserFailure` when there is none in time.
 */
export async function findElement(
  page: Page,
  { selector, index, ref }: Naming,
  { view, until }: { view: PageView | null; until: number },
): Promise<PageElement> {
  if (index !== undefined) {
    if (!view) throw staleNumber(`No snapshot has shown you number ${index}`)
    return view.element(index)
  }
  if (ref !== undefined) return findByRef(page, ref, view)
  if (selector !== undefined) return findBySelector(page, selector, until)
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

async function findBySelector(page: Page, selector: string, until: number): Promise<PageElement> {
  for (;;) {
    const found = await matches(page, selector)
    for (const handle of found)
      if (await handle.isVisible().catch(() => false)) return PageElement.of(page, handle)
    if (found[0]) return PageElement.of(page, found[0])
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
