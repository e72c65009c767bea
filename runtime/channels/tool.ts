import { z } from 'zod'
import { findAttachment } from '../chat/message-store.ts'
import { Fault } from '../fault.ts'
import { storeBytes } from '../files/files.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { rootOf, Workspace } from '../tools/workspace.ts'
import { findOwnChannel, hasChannels, listChannels } from './channel-store.ts'
import { sendToChannel } from './send.ts'

const Input = z.object({
  channel_id: z
    .string()
    .max(64)
    .optional()
    .describe('The channel to send on; leave it out to list the channels'),
  text: z.string().trim().min(1).max(20_000).optional().describe('Markdown'),
  to: z
    .string()
    .trim()
    .min(1)
    .max(320)
    .optional()
    .describe('The id of a chat, room or address on the platform; default the person you work for'),
  files: z
    .array(z.string().trim().min(1).max(1_000))
    .max(10)
    .optional()
    .describe(
      'Files to send with the text: paths in your workspace, or attachment:NAME for a file of this conversation',
    ),
})
type Input = z.output<typeof Input>

/** Maximum size of a file that is read from the workspace, in bytes; platforms have lower limits. */
const maxFile = 100_000_000
const maxFilesShown = 500

const isSending = ({ channel_id, text }: Input): boolean => channel_id !== undefined && text !== undefined

/** The files as the person who approves the call reads them. */
const filesOf = ({ files = [] }: Input): string =>
  files.length === 0 ? '' : `${clipped(files.join(', '), maxFilesShown)} `

/** Sends messages on the owner's channels. */
export const channelSend = tool({
  name: 'channel_send',
  description:
    'Send a message to the person or to a chat on a messenger channel such as Telegram, Slack or email. Without channel_id ' +
    'and text it lists the channels. You do not need this tool to answer a channel message: your answer is sent there automatically.',
  input: Input,
  offered: ({ host }) => hasChannels(host),
  effect: (input) => (isSending(input) ? 'write' : 'read'),
  // Messages to the owner are harmless; messages to others may leak private data.
  risk: (input) => (!isSending(input) ? 'low' : input.to === undefined ? 'medium' : 'high'),
  summary: (input) =>
    isSending(input)
      ? `Send ${filesOf(input)}to ${clipped(input.to ?? 'you', 100)} on ${clipped(input.channel_id ?? '', 60)}: ${clipped(input.text ?? '', 200)}`
      : 'List the channels',
  async describe(input, { context }) {
    const channel = input.channel_id === undefined ? null : await findOwnChannel(context, input.channel_id)
    const where = channel ? `${channel.name} (${channel.platform})` : (input.channel_id ?? '')
    return isSending(input)
      ? `Send ${filesOf(input)}to ${clipped(input.to ?? 'you', 100)} on ${clipped(where, 100)}: ${clipped(input.text ?? '', 500)}`
      : 'List the channels'
  },
  async run({ channel_id, text, to, files = [] }, scope) {
    const { context } = scope
    if (channel_id === undefined || text === undefined) {
      const { channels } = await listChannels(context, { limit: 50, offset: 0 })
      const shown = channels.filter(({ enabled }) => enabled)
      return { channels: shown.map(({ id, name, platform }) => ({ id, name, platform })) }
    }
    try {
      const ids: string[] = []
      // One at a time, because each is held in memory.
      for (const file of files) ids.push(await fileIdOf(file, scope))
      const message = { channel_id, markdown: text, to, files: ids }
      return { sent: await sendToChannel(context, message), note: 'It is delivered with retries.' }
    } catch (thrown) {
      throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
    }
  },
})

const attachmentScheme = 'attachment:'

/** The id of a stored file; a file of the workspace is stored first. */
async function fileIdOf(wanted: string, scope: ToolScope): Promise<string> {
  const { context, conversation_id, signal } = scope
  if (wanted.startsWith(attachmentScheme)) {
    const name = wanted.slice(attachmentScheme.length)
    const attachment = await findAttachment(context, conversation_id, name)
    if (!attachment) throw new ToolError(`No file ${name} was sent in this conversation`)
    return attachment.file_id
  }
  const workspace = new Workspace(context.files, await rootOf(scope), signal)
  const bytes = await workspace.bytes(wanted, maxFile + 1)
  if (bytes.byteLength === 0) throw new ToolError(`There is no file ${wanted}, or it is empty`)
  if (bytes.byteLength > maxFile)
    throw new ToolError(`${wanted} is larger than ${maxFile / 1_000_000} MB and cannot be sent`)
  const name = wanted.split(/[\\/]/).at(-1) ?? wanted
  return (await storeBytes(context, { name, bytes, purpose: 'channel' })).id
}
