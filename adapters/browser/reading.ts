import type { Page } from 'playwright'
import { BrowserFailure, type Screenshot, ScriptFailed } from '../../runtime/ports/browser.ts'
import { toFailure } from './page/failure.ts'
import { within } from './within.ts'

const usualChars = 50_000
/** Milliseconds for a picture of a page, or a script of the caller. */
const limit = 30_000

/** Runs inside a page: its text, that of its main part first, so that a text that is cut has it. */
function textInside(): string {
  const whole = document.body?.innerText ?? ''
  const mains = [...document.querySelectorAll<HTMLElement>('main, [role=main]')]
  const main = mains.length === 1 ? (mains[0]?.innerText ?? '') : ''
  if (main.trim() === '' || !whole.includes(main)) return whole
  return `${main}\n\n${whole.replace(main, () => '\n')}`
}

/** The text that a person would read on the page, with that of its frames. */
export async function readText(page: Page, most = usualChars): Promise<string> {
  const texts = page.frames().map((frame) => frame.evaluate(textInside))
  const parts = await Promise.all(texts.map((text) => within(limit, text).catch(() => null)))
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

export async function screenshot(
  page: Page,
  { format, quality, full_page }: Screenshot,
): Promise<Uint8Array> {
  const kind = format === 'jpeg' ? { type: format, quality: quality ?? 80 } : { type: format }
  try {
    return await page.screenshot({ ...kind, fullPage: full_page ?? false, timeout: limit })
  } catch (thrown) {
    throw toFailure(thrown)
  }
}

export const pdf = (page: Page): Promise<Uint8Array> => page.pdf({ printBackground: true })

/** What the expression comes to, as far as JSON can say it. */
export async function evaluate(page: Page, expression: string): Promise<unknown> {
  const work = page.evaluate<unknown>(expression).then((value) => JSON.stringify(value) ?? 'null')
  const result = await within(limit, work).catch((thrown: Error) => {
    if (/closed|crashed|destroyed/i.test(thrown.message)) throw toFailure(thrown)
    throw new ScriptFailed(
      (thrown.message.split('\n')[0] ?? '').replace(/^page\.evaluate: /, '').slice(0, 500),
    )
  })
  if (result === null) throw new BrowserFailure('timeout', 'The script did not end in time', 'Let it do less')
  return JSON.parse(result)
}
