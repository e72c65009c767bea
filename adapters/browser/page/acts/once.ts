import type { Element_ } from '../target.ts'

type ClickOptions = Parameters<Element_['click']>[0]

/**
 * The driver's click, at most once. It also waits until the page has answered, and a page may think for long: when its
 * time runs out after the button went down and up, that was the click, and trying again would be another.
 */
export async function clickOnce(element: Element_, options: ClickOptions): Promise<void> {
  await element.click(options).catch((thrown: Error) => {
    if (!hasPressed(thrown.message)) throw thrown
  })
}

/** By its log, which tells every try: the mouse is sent all at once, unless what lies there has swallowed it. */
function hasPressed(message: string): boolean {
  const at = message.lastIndexOf('performing click action')
  return /Timeout/i.test(message) && at >= 0 && !message.slice(at).includes('intercepts pointer')
}
