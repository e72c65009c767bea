import type { Page } from 'playwright'
import type { Browser } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import { ask, notePage, standingOf } from './page/apart.ts'
import { stale, toFailure } from './page/failure.ts'
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
  if (field) return fill(field, payloads)
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
  const field = chooser.element() as Element_
  notePage(field, page)
  await fill(field, payloads)
}

/** The driver's way with an element would ask the page in which document it lies. */
async function fill(field: Element_, payloads: Payloads): Promise<void> {
  const standing = await standingOf(field)
  if (!standing) throw stale()
  await standing.frame.setInputFiles(standing.selector, payloads, { timeout: limit })
}

function drop(zone: Element_, payloads: Payloads): Promise<void> {
  const files = payloads.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }))
  return ask(zone, dropHere, files)
}

/** Runs beside the page. */
function dropHere(zone: Element, files: { name: string; mimeType: string; base64: string }[]): void {
  const dataTransfer = new DataTransfer()
  for (const { name, mimeType, base64 } of files) {
    const text = atob(base64)
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
    dataTransfer.items.add(new File([bytes], name, { type: mimeType }))
  }
  const { x, y, width, height } = zone.getBoundingClientRect()
  const at = { clientX: x + width / 2, clientY: y + height / 2 }
  const options = { bubbles: true, cancelable: true, composed: true, dataTransfer, ...at }
  for (const type of ['dragenter', 'dragover', 'drop']) zone.dispatchEvent(new DragEvent(type, options))
}
