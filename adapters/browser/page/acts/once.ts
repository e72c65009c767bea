import { quickOf } from '../apart.ts'
import type { Element_ } from '../target.ts'

type ClickOptions = Parameters<Element_['click']>[0]

/**
 * The driver's click, at most once. It also waits until the page has answered, and a page may think for long: when its
 * time runs out after the button went down and up, that was the click, and trying again would be another.
 */
export async function clickOnce(element: Element_, options: ClickOptions): Promise<void> {
  await clickWhereKept(element, options).catch((thrown: Error) => {
    if (!hasPressed(thrown.message)) throw thrown
  })
}

/** By its log, which tells every try: the mouse is sent all at once, unless what lies there has swallowed it. */
function hasPressed(message: string): boolean {
  const at = message.lastIndexOf('performing click action')
  return /Timeout/i.test(message) && at >= 0 && !message.slice(at).includes('intercepts pointer')
}

/** Of an element itself the driver asks everything twice, once to bring it into its own world: half as many again. */
async function clickWhereKept(element: Element_, options: ClickOptions): Promise<void> {
  const quick = await quickOf(element)
  if (!quick) return element.click(options)
  await quick.frame.click(quick.selector, options).catch((thrown: Error) => {
    // A view that was let go keeps nothing, while its element may be there.
    if (/not attached/.test(thrown.message)) return element.click(options)
    throw thrown
  })
}
