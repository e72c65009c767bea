import type { BrowserContext } from 'playwright'
import type { Cookie } from '../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'

type Driven = Parameters<BrowserContext['addCookies']>[0][number]

export async function readCookies(context: BrowserContext): Promise<Cookie[]> {
  const all = await context.cookies()
  return all.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite }) => ({
    name,
    value,
    domain,
    path,
    expires,
    http_only: httpOnly,
    secure,
    same_site: sameSite,
  }))
}

/** Throws `BrowserFailure` for what the browser does not take. */
export async function addCookies(context: BrowserContext, cookies: readonly Cookie[]): Promise<void> {
  try {
    await context.addCookies(cookies.map(toDriven))
  } catch (thrown) {
    const said = (thrown as Error).message
    if (!/invalid|cookie should|blank page|data URL/i.test(said)) throw thrown
    const hint = 'Give each an http or https url, or a domain and a path; same_site None needs secure'
    throw new BrowserFailure('not_enabled', 'The browser does not take these cookies', hint)
  }
}

/** As the driver takes it: by its URL, or by domain and path. */
function toDriven(cookie: Cookie): Driven {
  const { name, value, url, domain, path, expires, http_only, secure, same_site } = cookie
  const place = domain === undefined ? { url } : { domain, path: path ?? '/' }
  const all = { name, value, ...place, expires, httpOnly: http_only, secure, sameSite: same_site }
  return Object.fromEntries(Object.entries(all).filter(([, given]) => given !== undefined)) as Driven
}
