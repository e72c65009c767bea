import type { Browser } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import { findElement } from './page/target.ts'
import type { Session } from './session.ts'

type Target = Parameters<Browser['upload']>[0]
type UploadFiles = Parameters<Browser['upload']>[1]

/** Milliseconds for the field to appear and to take the files. */
const limit = 10_000

/** Gives files to a file field. */
export async function upload(session: Session, target: Target, files: UploadFiles): Promise<void> {
  const page = await session.page(target.tab_id)
  const { tabs } = session
  tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + limit
  const field = await findElement(page, target, { view: tabs.view(page), until })
  const payloads = files.map(({ name, mime_type, bytes }) => ({
    name,
    mimeType: mime_type,
    buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }))
  try {
    await field.setInputFiles(payloads, { timeout: limit })
  } catch (thrown) {
    const { message } = thrown as Error
    if (/multiple file|Non-multiple/i.test(message))
      throw new BrowserFailure('not_enabled', 'The field takes one file only', 'Upload one file')
    if (!/not an HTMLInputElement|input.*file/i.test(message)) throw thrown
    throw new BrowserFailure('not_enabled', 'This element takes no files', 'Name the file field itself')
  }
}
