import { actingFor, everyone } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { documentKind, maxDocumentBytes } from '../documents/document.ts'
import { readDocument } from '../documents/read.ts'
import { type FaultIssue, invalid } from '../fault.ts'
import type { FilePart as ModelFile, ModelMessage } from '../ports/models.ts'
import type { DocumentKind } from '../ports/reader.ts'
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
  const files = await findFiles(context, unique)
  const missing = ids.flatMap((id, index): FaultIssue[] =>
    files.has(id) ? [] : [{ path: `attachments.${index}`, message: `there is no file ${id}` }],
  )
  if (missing.length > 0) throw invalid(missing)
  return unique.flatMap((id) => files.get(id) ?? []).map(toAttachment)
}

export const toAttachment = ({ id, name, mime_type, size_bytes }: StoredFile): Attachment => ({
  type: 'file',
  file_id: id,
  name,
  mime_type,
  size_bytes,
})

/** An attachment without its content, with the reason. */
export const withoutContent = ({ name, mime_type, size_bytes }: Attachment, omitted = 'not shown here'): ModelFile => ({
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

/** Whether the model reads such a file itself. It gets the text of any other document. */
export type ReadsFile = (mimeType: string, file_id: string) => boolean

/** Reads attachments for the model, the latest first, up to the limits. */
export async function readAttachments(
  context: Context,
  attachments: readonly Attachment[],
  reads: ReadsFile = () => false,
): Promise<Attached> {
  // In a shared conversation also those of others.
  const present = await findFiles(
    actingFor(context, everyone),
    attachments.map(({ file_id }) => file_id),
  )
  const left: Room = { text: maxTexts, bytes: maxFiles }
  const attached = new Map<string, ModelFile>()
  for (const attachment of attachments.toReversed()) {
    const { file_id } = attachment
    if (attached.has(file_id)) continue
    attached.set(file_id, await readOne(context, attachment, { file: present.get(file_id), left, reads }))
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
  { file, left, reads }: { file: StoredFile | undefined; left: Room; reads: ReadsFile },
): Promise<ModelFile> {
  if (!file) return withoutContent(attachment, 'it was deleted')
  if (isTextType(file.mime_type)) return readText(context, attachment, { file, left })
  const tooLarge = file.size_bytes > Math.min(maxFile, left.bytes)
  const kind = documentKind(file.mime_type, file.name)
  if (kind && (tooLarge || !reads(file.mime_type, file.id)))
    return readDocumentText(context, attachment, { file, left, kind })
  if (!/^image\/|^application\/pdf$/.test(file.mime_type)) return withoutContent(attachment, 'its type cannot be shown')
  if (tooLarge) return withoutContent(attachment, 'too large to be shown')
  const data = await context.files.read(root, blobPath(file.sha256))
  if (!data) return withoutContent(attachment, 'it was deleted')
  left.bytes -= data.length
  const { name, mime_type, size_bytes } = attachment
  return { type: 'file', name, mime_type, size_bytes, data }
}

async function readDocumentText(
  context: Context,
  attachment: Attachment,
  { file, left, kind }: { file: StoredFile; left: Room; kind: DocumentKind },
): Promise<ModelFile> {
  if (left.text <= 0) return withoutContent(attachment, noSpace)
  const options = { max_bytes: maxDocumentBytes + 1 }
  const data = await context.files.read(root, blobPath(file.sha256), options)
  if (!data) return withoutContent(attachment, 'it was deleted')
  const text = await asText(context, { ...withoutContent(attachment), data }, { kind, max: left.text })
  left.text -= text.data.length
  return text
}

/** A document as text for a model that cannot read it itself. */
async function asText(
  context: Context,
  file: ModelFile,
  { kind, max = maxText }: { kind: DocumentKind; max?: number },
): Promise<ModelFile> {
  const read = await readDocument(context, kind, file.data)
  if ('why' in read) return leftOut(file, read.why)
  const text = read.text.slice(0, max)
  const isCut = read.truncated || text.length < read.text.length
  return textFile(file, text, isCut ? `\n[cut here: ${text.length} characters are shown]` : '')
}

/** The messages of a call for a model that does not read all of their documents itself. */
export async function documentsAsText(
  context: Context,
  messages: ModelMessage[],
  reads: (mimeType: string) => boolean,
): Promise<ModelMessage[]> {
  const kindOf = (part: ModelMessage['content'][number]): DocumentKind | null =>
    part.type !== 'file' || part.omitted !== undefined || reads(part.mime_type)
      ? null
      : documentKind(part.mime_type, part.name ?? '')
  return Promise.all(
    messages.map(async (message) => {
      if (message.role !== 'user' || !message.content.some(kindOf)) return message
      const content = message.content.map((part) => {
        const kind = kindOf(part)
        return kind && part.type === 'file' ? asText(context, part, { kind }) : part
      })
      return { ...message, content: await Promise.all(content) }
    }),
  )
}

const noSpace = 'there is no space for it in this conversation'

const textFile = ({ omitted: _, ...file }: ModelFile, text: string, mark: string): ModelFile => ({
  ...file,
  mime_type: isTextType(file.mime_type) ? file.mime_type : 'text/plain',
  data: new TextEncoder().encode(text.toWellFormed() + mark),
})

/** A character takes at most four bytes. */
const bytesOf = (characters: number) => characters * 4

async function readText(
  context: Context,
  attachment: Attachment,
  { file, left }: { file: StoredFile; left: Room },
): Promise<ModelFile> {
  const max = Math.min(maxText, left.text)
  if (max <= 0) return withoutContent(attachment, noSpace)
  const bytes = await context.files.read(root, blobPath(file.sha256), { max_bytes: bytesOf(max) })
  if (!bytes) return withoutContent(attachment, 'it was deleted')
  const whole = new TextDecoder().decode(bytes)
  const text = whole.slice(0, max)
  left.text -= text.length
  const isCut = whole.length > max || bytes.length < file.size_bytes
  const mark = isCut ? `\n[cut here: ${max} characters of ${file.size_bytes} bytes are shown]` : ''
  return textFile(withoutContent(attachment), text, mark)
}
