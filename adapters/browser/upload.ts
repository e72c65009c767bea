import type { Page } from 'playwright'
import { type Browser, BrowserFailure, type TabUser } from '../../runtime/ports/browser.ts'
import { type Handle, PageElement } from './page/element.ts'
import { toFailure } from './page/failure.ts'
import { findElement } from './page/target.ts'
import type { Session } from './session.ts'

type Target = Parameters<Browser['upload']>[0]
type UploadFiles = Parameters<Browser['upload']>[1]
type Payloads = { name: string; mimeType: string; buffer: Buffer }[]

/** Milliseconds for the field to appear, and to take the files. */
const limit = 10_000
/** Milliseconds for a button to ask for files. */
const chooserLimit = 3_000

/** Gives files to a file field, its label, a place to drop them, or a button that asks for files. */
export async function upload(
  session: Session,
  target: Target & { user: TabUser | undefined },
  files: UploadFiles,
): Promise<void> {
  const page = await session.page(target.tab_id, target.user)
  const { tabs } = session
  tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + limit
  const element = await findElement(page, target, { view: tabs.view(page, target.user), until })
  const payloads = files.map(({ name, mime_type, bytes }) => ({
    name,
    mimeType: mime_type,
    buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }))
  try {
    await give(page, element, payloads)
  } catch (thrown) {
    const { message } = thrown as Error
    if (/multiple file|Non-multiple/i.test(message)) throw refused('The field takes one file only', 'Upload one file')
    throw toFailure(thrown)
  }
}

async function give(page: Page, element: PageElement, payloads: Payloads): Promise<void> {
  const { field, method, fields } = await element.ask('uploadTarget')
  if (field !== null) return fill(new PageElement(page, element.world, field, element.named), payloads)
  if (method === 'off') throw refused('The field is disabled', 'Enable it first')
  if (method === 'ask') return giveWhenAsked(page, element, payloads)
  if (method === 'drop') {
    const files = payloads.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }))
    await element.verify()
    return element.ask('dropFiles', files)
  }
  const named = fields.length > 0 ? `: ${fields.join(', ')}` : ''
  throw refused('This element takes no files', `Name the file field itself${named}`)
}

const refused = (message: string, hint: string) => new BrowserFailure('not_enabled', message, hint)

/** A button with a script opens the file dialog of a field of its choice. */
async function giveWhenAsked(page: Page, button: PageElement, payloads: Payloads): Promise<void> {
  const opening = page.waitForEvent('filechooser', { timeout: chooserLimit }).catch(() => null)
  const handle = await button.handle()
  await button.whileSame(() => handle.click({ timeout: chooserLimit }))
  const chooser = await opening
  if (!chooser) throw refused('This button does not ask for files', 'Name the file field itself')
  // A field that a script has made need not be part of the page.
  const field = await PageElement.of(page, chooser.element() as Handle).catch(() => null)
  await (field ? fill(field, payloads) : chooser.setFiles(payloads, { timeout: limit }))
}

/** By frame and selector: with a handle, Playwright would ask the page which document it lies in. */
async function fill(field: PageElement, payloads: Payloads): Promise<void> {
  const { frame, selector } = await field.locate()
  await field.verify()
  await frame.setInputFiles(selector, payloads, { timeout: limit })
}
