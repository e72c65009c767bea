import type { Page } from 'playwright'
import { within } from './view.ts'
import type { Worlds } from './worlds.ts'

/** Milliseconds after an act in which a page is still drawing what it led to. */
const fresh = 400
/** Milliseconds without a change until a page counts as drawn, and when it is taken as it is. */
const quiet = 60
const most = 350

const acted = new WeakMap<Page, number>()

export function noteAct(page: Page): void {
  acted.set(page, performance.now())
}

const untilQuiet = `new Promise((resolve) => {
  let timer = setTimeout(end, ${quiet})
  const observer = new MutationObserver(() => {
    clearTimeout(timer)
    timer = setTimeout(end, ${quiet})
  })
  function end() {
    observer.disconnect()
    resolve()
  }
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  setTimeout(end, ${most})
})`

/**
 * Right after an act a page may draw its answer in steps; numbers given in between would be stale at once. Resolves when
 * it has come to rest, soon in any case.
 */
export async function settled(page: Page, { root, all }: Worlds): Promise<void> {
  const at = acted.get(page)
  const world = all.get(root)
  acted.delete(page)
  if (at === undefined || !world || performance.now() - at > fresh) return
  const waiting = world.session.send('Runtime.evaluate', {
    expression: untilQuiet,
    contextId: world.apart,
    awaitPromise: true,
    silent: true,
  })
  await within(most * 2, waiting)
}
