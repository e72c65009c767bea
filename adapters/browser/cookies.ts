import type { BrowserContext } from 'playwright'
import type { Cookie } from '../../runtime/browser/schema.ts'

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

/** As the driver takes it: by its URL, or by domain and path. */
export function toDriven(cookie: Cookie): Driven {
  const { name, value, url, domain, path, expires, http_only, secure, same_site } = cookie
  const place = domain === undefined ? { url } : { domain, path: path ?? '/' }
  const all = { name, value, ...place, expires, httpOnly: http_only, secure, sameSite: same_site }
  return Object.fromEntries(Object.entries(all).filter(([, given]) => given !== undefined)) as Driven
}
