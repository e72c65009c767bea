import type { BrowserContext, Page } from 'playwright'
import { BrowserFailure, type Screenshot, ScriptFailed } from '../../runtime/ports/browser.ts'
import type { Cookie } from '../../runtime/tabs/schema.ts'
import { defined } from '../../runtime/values.ts'
import { toFailure } from './page/failure.ts'
import { inTime } from './time-limit.ts'

const defaultChars = 50_000
/** Milliseconds for a screenshot, or a script of the caller. */
const limit = 30_000

/** Runs in the page. Returns its text, the main content first, in case the text is cut. */
function textInside(): string {
  const whole = document.body?.innerText ?? ''
  const mains = [...document.querySelectorAll<HTMLElement>('main, [role=main]')]
  const main = mains.length === 1 ? (mains[0]?.innerText ?? '') : ''
  if (main.trim() === '' || !whole.includes(main)) return whole
  return `${main}\n\n${whole.replace(main, () => '\n')}`
}

/** The visible text of the page and its frames. */
export async function readText(page: Page, most = defaultChars): Promise<string> {
  const texts = page.frames().map((frame) => frame.evaluate(textInside))
  const parts = await Promise.all(texts.map((text) => inTime(limit, text).catch(() => null)))
  const text = parts
    .map((part) => tidy(part ?? ''))
    .filter((part) => part !== '')
    .join('\n\n')
  return text.slice(0, most).toWellFormed()
}

const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

export async function screenshot(page: Page, { format, quality, full_page }: Screenshot): Promise<Uint8Array> {
  const kind = format === 'jpeg' ? { type: format, quality: quality ?? 80 } : { type: format }
  try {
    return await page.screenshot({ ...kind, fullPage: full_page ?? false, timeout: limit })
  } catch (thrown) {
    throw toFailure(thrown)
  }
}

export const pdf = (page: Page): Promise<Uint8Array> => page.pdf({ printBackground: true })

/** The result of an expression as JSON. */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  const work = page.evaluate<unknown>(expression).then((value) => JSON.stringify(value) ?? 'null')
  const result = await inTime(limit, work).catch((thrown: Error) => {
    if (/closed|crashed|destroyed/i.test(thrown.message)) throw toFailure(thrown)
    throw new ScriptFailed((thrown.message.split('\n')[0] ?? '').replace(/^page\.evaluate: /, '').slice(0, 500))
  })
  if (result === null) throw new BrowserFailure('timeout', 'The script timed out', 'Split it into shorter ones')
  return JSON.parse(result)
}

type PlaywrightCookie = Parameters<BrowserContext['addCookies']>[0][number]

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

/** Throws `BrowserFailure` for cookies that the browser rejects. */
export async function addCookies(context: BrowserContext, cookies: readonly Cookie[]): Promise<void> {
  try {
    await context.addCookies(cookies.map(toPlaywright))
  } catch (thrown) {
    const { message } = thrown as Error
    if (!/invalid|cookie should|blank page|data URL/i.test(message)) throw thrown
    const hint = 'Give each an http or https url, or a domain and a path; same_site None needs secure'
    throw new BrowserFailure('not_enabled', 'The browser rejects these cookies', hint)
  }
}

/** In Playwright's form: by URL, or by domain and path. */
function toPlaywright(cookie: Cookie): PlaywrightCookie {
  const { name, value, url, domain, path, expires, http_only, secure, same_site } = cookie
  const place = domain === undefined ? { url } : { domain, path: path ?? '/' }
  const all = { name, value, ...place, expires, httpOnly: http_only, secure, sameSite: same_site }
  return defined(all) as PlaywrightCookie
}
