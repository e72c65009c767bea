import type { Context } from '../context.ts'
import { type FaultIssue, invalid } from '../fault.ts'
import type { FilePart as ModelFile } from '../ports/models.ts'
import { blobPath, root } from './blobs.ts'
import type { StoredFile } from './schema.ts'
import { isTextType } from './sniff.ts'
import { findFiles } from './store.ts'

/** A file of a message as it was when the message was sent; it may have been deleted since. */
export interface Attachment {
  type: 'file'
  file_id: string
  name: string
  mime_type: string
  size_bytes: number
}

/** Contents for the model, by file id. */
export type Attached = ReadonlyMap<string, ModelFile>

/** Characters that a model gets of one text, and of all texts together. */
export const maxText = 100_000
const maxTexts = 400_000

/** Bytes of one image or document that a model gets, and of all together; every vendor accepts this. */
const maxFile = 5 * 1024 * 1024
const maxFiles = 20 * 1024 * 1024

/** The files of a message. Refuses unknown ids. */
export async function requireAttachments(context: Context, ids: readonly string[]): Promise<Attachment[]> {
  const unique = [...new Set(ids)]
  const found = await findFiles(context, unique)
  const missing = ids.flatMap((id, index): FaultIssue[] =>
    found.has(id) ? [] : [{ path: `attachments.${index}`, message: `there is no file ${id}` }],
  )
  if (missing.length > 0) throw invalid(missing)
  return unique.flatMap((id) => found.get(id) ?? []).map(toAttachment)
}

export const toAttachment = ({ id, name, mime_type, size_bytes }: StoredFile): Attachment => ({
  type: 'file',
  file_id: id,
  name,
  mime_type,
  size_bytes,
})

/** An attachment without its content, with the reason. */
export const withoutContent = (
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

/** A file without its content, with the reason. */
export const leftOut = (file: ModelFile, omitted: string): ModelFile => ({
  ...file,
  data: new Uint8Array(),
  omitted,
})

/** Reads attachments for the model, the latest first, up to the limits. */
export async function readAttachments(
  context: Context,
  attachments: readonly Attachment[],
): Promise<Attached> {
  const present = await findFiles(
    context,
    attachments.map(({ file_id }) => file_id),
  )
  const left: Room = { text: maxTexts, bytes: maxFiles }
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
  if (!file) return withoutContent(attachment, 'it was deleted')
  if (isTextType(file.mime_type)) return readText(context, attachment, { file, left })
  if (!/^image\/|^application\/pdf$/.test(file.mime_type))
    return withoutContent(attachment, 'its type cannot be shown')
  if (file.size_bytes > Math.min(maxFile, left.bytes))
    return withoutContent(attachment, 'too large to be shown')
  const data = await context.files.read(root, blobPath(file.sha256))
  if (!data) return withoutContent(attachment, 'it was deleted')
  left.bytes -= data.length
  const { name, mime_type, size_bytes } = attachment
  return { type: 'file', name, mime_type, size_bytes, data }
}

/** A character takes at most four bytes. */
const bytesOf = (characters: number) => characters * 4

async function readText(
  context: Context,
  attachment: Attachment,
  { file, left }: { file: StoredFile; left: Room },
): Promise<ModelFile> {
  const max = Math.min(maxText, left.text)
  if (max <= 0) return withoutContent(attachment, 'there is no space for it in this conversation')
  const bytes = await context.files.read(root, blobPath(file.sha256), { max_bytes: bytesOf(max) })
  if (!bytes) return withoutContent(attachment, 'it was deleted')
  const whole = new TextDecoder().decode(bytes)
  const text = whole.slice(0, max)
  left.text -= text.length
  const isCut = whole.length > max || bytes.length < file.size_bytes
  const mark = isCut ? `\n[cut here: ${max} characters of ${file.size_bytes} bytes are shown]` : ''
  const { name, mime_type, size_bytes } = attachment
  return {
    type: 'file',
    name,
    mime_type,
    size_bytes,
    data: new TextEncoder().encode(text.toWellFormed() + mark),
  }
}
