import { BrowserFailure } from '../../runtime/ports/browser.ts'
import type { Locate } from './proxy.ts'

export const blocked = (reason: string) =>
  new BrowserFailure(
    'blocked_url',
    `This address must not be opened: ${reason}`,
    'Only public http and https pages are open; the owner can allow a host in the browser settings',
  )

/**
 * The address as it is opened. It is judged here so that the refusal is a clear one; what a page leads to afterwards is
 * judged where it leaves the machine.
 */
export async function allowAddress(text: string, locate: Locate): Promise<string> {
  const trimmed = text.trim()
  if (trimmed === 'about:blank') return trimmed
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[^/:]+:\d+(\/|$)/.test(trimmed)
      ? trimmed
      : `https://${trimmed}`,
  )
  if (!url)
    throw new BrowserFailure('navigation_failed', 'This is no address', 'Write it as https://example.com/')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw blocked(`${url.protocol} is not http or https`)
  try {
    await locate(url)
  } catch (thrown) {
    // A name that cannot be resolved is no matter of the guard: the browser itself says so.
    if ((thrown as Error).name === 'OutboundBlocked') throw blocked((thrown as Error).message)
  }
  return url.href
}
