import type { Page } from 'playwright'
import type { Browser } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import { toFailure } from './page/failure.ts'
import { type Element_, findElement } from './page/target.ts'
import type { Session } from './session.ts'
import { placeOf } from './upload-place.ts'

type Target = Parameters<Browser['upload']>[0]
type UploadFiles = Parameters<Browser['upload']>[1]

/** Milliseconds for the field to appear and to take the files. */
const limit = 10_000

/** Milliseconds for a button to ask for files. */
const askLimit = 3_000

/**
 * Gives files to a file field, or to what a person would use for it: its label, a place to drop them, or a button that
 * asks for files. What it is, is found out before anything is done.
 */
export async function upload(session: Session, target: Target, files: UploadFiles): Promise<void> {
  const page = await session.page(target.tab_id)
  const { tabs } = session
  tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + limit
  const element = await findElement(page, target, { view: tabs.view(page, target.reader), until })
  const payloads = files.map(({ name, mime_type, bytes }) => ({
    name,
    mimeType: mime_type,
    buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }))
  try {
    await give(page, element, payloads)
  } catch (thrown) {
    const { message } = thrown as Error
    if (/multiple file|Non-multiple/i.test(message))
      throw refused('The field takes one file only', 'Upload one file')
    throw toFailure(thrown)
  }
}

type Payloads = { name: string; mimeType: string; buffer: Buffer }[]

async function give(page: Page, element: Element_, payloads: Payloads): Promise<void> {
  const { field, way, fields } = await placeOf(element)
  if (way === 'off') throw refused('The field is disabled', 'Do first what enables it')
  if (field) return field.setInputFiles(payloads, { timeout: limit })
  if (way === 'drop') return drop(element, payloads)
  if (way === 'ask') return giveWhenAsked(page, element, payloads)
  const named = fields.length > 0 ? `: ${fields.join(', ')}` : ''
  throw refused('This element takes no files', `Name the file field itself${named}`)
}

const refused = (message: string, hint: string) => new BrowserFailure('not_enabled', message, hint)

/** A button that a script listens to opens the field that it means. */
async function giveWhenAsked(page: Page, button: Element_, payloads: Payloads): Promise<void> {
  const asked = page.waitForEvent('filechooser', { timeout: askLimit }).catch(() => null)
  await button.click({ timeout: askLimit })
  const chooser = await asked
  if (!chooser) throw refused('This button does not ask for files', 'Name the file field itself')
  await chooser.setFiles(payloads, { timeout: limit })
}

/** A field of ours takes them in, so that they are not sent as text. */
async function drop(zone: Element_, payloads: Payloads): Promise<void> {
  const field = await zone.evaluateHandle(({ ownerDocument }) => {
    const input = ownerDocument.createElement('input')
    return Object.assign(input, { type: 'file', multiple: true })
  })
  try {
    await field.setInputFiles(payloads, { timeout: limit })
    await zone.evaluate((element, { files }) => {
      const dataTransfer = new DataTransfer()
      for (const file of files ?? []) dataTransfer.items.add(file)
      const { x, y, width, height } = element.getBoundingClientRect()
      const at = { clientX: x + width / 2, clientY: y + height / 2 }
      const options = { bubbles: true, cancelable: true, composed: true, dataTransfer, ...at }
      for (const type of ['dragenter', 'dragover', 'drop'])
        element.dispatchEvent(new DragEvent(type, options))
    }, field)
  } finally {
    await field.dispose()
  }
}
