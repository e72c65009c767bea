import type { Context } from '../context.ts'
import { type FaultIssue, invalid } from '../fault.ts'
import type { FilePart as ModelFile } from '../ports/models.ts'
import { blobPath, root } from './blobs.ts'
import type { StoredFile } from './schema.ts'
import { isTextType } from './sniff.ts'
import { findFiles } from './store.ts'

/** A file of a message, as it was when the message was sent: it may have been deleted since. */
export interface Attachment {
  type: 'file'
  file_id: string
  name: string
  mime_type: string
  size_bytes: number
}

/** Contents for the model, by the id of their file. */
export type Attached = ReadonlyMap<string, ModelFile>

/** Characters of one text that a model is shown, and of all texts together. */
export const longestText = 100_000
const longestTexts = 400_000

/** Bytes of one picture or document that a model is sent, and of all together: what every vendor takes. */
const largestFile = 5 * 1024 * 1024
const largestFiles = 20 * 1024 * 1024

/** The files that a message names, or a refusal that names those that are not there. */
export async function requireAttachments(context: Context, ids: readonly string[]): Promise<Attachment[]> {
  const unique = [...new Set(ids)]
  const found = await findFiles(context, unique)
  const missing = ids.flatMap((id, index): FaultIssue[] =>
    found.has(id) ? [] : [{ path: `attachments.${index}`, message: `there is no file ${id}` }],
  )
  if (missing.length > 0) throw invalid(missing)
  return unique.flatMap((id) => found.get(id) ?? []).map(toAttachment)
}

const toAttachment = ({ id, name, mime_type, size_bytes }: StoredFile): Attachment => ({
  type: 'file',
  file_id: id,
  name,
  mime_type,
  size_bytes,
})

/** An attachment without its content, for whoever only counts or names it. */
export const named = (
  { name, mime_type, size_bytes }: Attachment,
  omitted = 'not shown here',
): ModelFile => ({
  type: 'file',
  name,
  mime_type,
  size_bytes,
  data: new Uint8Array(),
  omitted,
})

/** Reads attachments for the model, the latest first, until they are as much as a call may hold. */
export async function readAttachments(
  context: Context,
  attachments: readonly Attachment[],
): Promise<Attached> {
  const present = await findFiles(
    context,
    attachments.map(({ file_id }) => file_id),
  )
  const left: Room = { text: longestTexts, bytes: largestFiles }
  const attached = new Map<string, ModelFile>()
  for (const attachment of attachments.toReversed()) {
    const { file_id } = attachment
    if (attached.has(file_id)) continue
    attached.set(file_id, await readOne(context, attachment, { file: present.get(file_id), left }))
  }
  return attached
}

interface Room {
  text: number
  bytes: number
}

async function readOne(
  context: Context,
  attachment: Attachment,
  { file, left }: { file: StoredFile | undefined; left: Room },
): Promise<ModelFile> {
  if (!file) return named(attachment, 'it was deleted')
  if (isTextType(file.mime_type)) return readText(context, attachment, { file, left })
  if (!/^image\/|^application\/pdf$/.test(file.mime_type))
    return named(attachment, 'its type cannot be shown')
  if (file.size_bytes > Math.min(largestFile, left.bytes)) return named(attachment, 'too large to be shown')
  const data = await context.files.read(root, blobPath(file.sha256))
  if (!data) return named(attachment, 'it was deleted')
  left.bytes -= data.length
  const { name, mime_type, size_bytes } = attachment
  return { type: 'file', name, mime_type, size_bytes, data }
}

/** A character takes at most four bytes, so this much is enough for the longest text that is shown. */
const bytesOf = (characters: number) => characters * 4

async function readText(
  context: Context,
  attachment: Attachment,
  { file, left }: { file: StoredFile; left: Room },
): Promise<ModelFile> {
  const most = Math.min(longestText, left.text)
  if (most <= 0) return named(attachment, 'there is no room for it in this conversation')
  const bytes = await context.files.read(root, blobPath(file.sha256), { max_bytes: bytesOf(most) })
  if (!bytes) return named(attachment, 'it was deleted')
  const whole = new TextDecoder().decode(bytes)
  const text = whole.slice(0, most)
  left.text -= text.length
  const isCut = whole.length > most || bytes.length < file.size_bytes
  const mark = isCut ? `\n[cut here: ${most} characters of ${file.size_bytes} bytes are shown]` : ''
  const { name, mime_type, size_bytes } = attachment
  return {
    type: 'file',
    name,
    mime_type,
    size_bytes,
    data: new TextEncoder().encode(text.toWellFormed() + mark),
  }
}
