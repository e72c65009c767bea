import type { Page } from 'playwright'
import type { Browser } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import { toFailure } from './page/failure.ts'
import { type Element_, findElement } from './page/target.ts'
import type { Session } from './session.ts'

type Target = Parameters<Browser['upload']>[0]
type UploadFiles = Parameters<Browser['upload']>[1]

/** Milliseconds for the field to appear and to take the files. */
const limit = 10_000

/** Milliseconds for a button to ask for files. */
const askLimit = 3_000

/** Gives files to a file field, or to what a person would click for it: its label, or a button that asks for files. */
export async function upload(session: Session, target: Target, files: UploadFiles): Promise<void> {
  const page = await session.page(target.tab_id)
  const { tabs } = session
  tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + limit
  const field = await findElement(page, target, { view: tabs.view(page, target.reader), until })
  const payloads = files.map(({ name, mime_type, bytes }) => ({
    name,
    mimeType: mime_type,
    buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }))
  try {
    const found = await fieldOf(field)
    if (found) await found.setInputFiles(payloads, { timeout: limit })
    else await giveWhenAsked(page, field, payloads)
  } catch (thrown) {
    const { message } = thrown as Error
    if (/multiple file|Non-multiple/i.test(message))
      throw new BrowserFailure('not_enabled', 'The field takes one file only', 'Upload one file')
    throw toFailure(thrown)
  }
}

/** The file field itself, that of a label, or the only one inside. */
async function fieldOf(element: Element_): Promise<Element_ | null> {
  const found = await element.evaluateHandle((node) => {
    const named = node instanceof HTMLLabelElement && node.control ? node.control : node
    const isField = (one: Element) => one instanceof HTMLInputElement && one.type === 'file'
    if (isField(named)) return named
    const inside = [...node.querySelectorAll('input')].filter(isField)
    return inside.length === 1 ? inside[0] : null
  })
  return found.asElement() as Element_ | null
}

type Payloads = { name: string; mimeType: string; buffer: Buffer }[]

/** A button that a script listens to opens the field that it means. */
async function giveWhenAsked(page: Page, button: Element_, payloads: Payloads): Promise<void> {
  const asked = page.waitForEvent('filechooser', { timeout: askLimit }).catch(() => null)
  await button.click({ timeout: askLimit })
  const chooser = await asked
  if (!chooser)
    throw new BrowserFailure('not_enabled', 'This element takes no files', 'Name the file field itself')
  await chooser.setFiles(payloads, { timeout: limit })
}
