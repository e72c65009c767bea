import { readAttachments } from '../../files/attachments.ts'
import { isTextType } from '../../files/sniff.ts'
import { findAttachment } from '../store.ts'
import { ToolError, type ToolScope } from '../tool.ts'

const scheme = 'attachment:'

export const namesAttachment = (path: string | undefined): path is string => path?.startsWith(scheme) ?? false

/** A text that a person sent along in this conversation, by its name or id; also one that was folded away since. */
export async function readAttachment(
  { context, conversation_id }: Pick<ToolScope, 'context' | 'conversation_id'>,
  path: string,
): Promise<unknown> {
  const wanted = path.slice(scheme.length)
  const attachment = await findAttachment(context, conversation_id, wanted)
  if (!attachment) throw new ToolError(`No file ${wanted} was sent along in this conversation`)
  const file = (await readAttachments(context, [attachment])).get(attachment.file_id)
  if (!file || file.omitted !== undefined) throw new ToolError(`${wanted} cannot be read: ${file?.omitted}`)
  if (!isTextType(file.mime_type)) throw new ToolError(`${wanted} is no text but ${file.mime_type}`)
  return { path, content: new TextDecoder().decode(file.data), untrusted: true }
}
