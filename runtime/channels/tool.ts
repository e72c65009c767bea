import { z } from 'zod'
import { attachmentScheme, requireAttachment } from '../chat/index.ts'
import { storeBytes } from '../files/index.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { rootOf, Workspace } from '../tools/workspace.ts'
import { findOwnChannel, hasChannels, listChannels } from './channel-store.ts'
import type { Platform } from './platform.ts'
import { SendRequest } from './schema.ts'
import { requireAccepted, requireDestination, sendToChannel } from './send.ts'

/** Characters of all paths, which the person who approves reads in full. */
const maxPaths = 1_000
const maxRecipient = 320

const Input = z.object({
  channel_id: z.string().max(64).optional().describe('The channel to send on; leave it out to list the channels'),
  text: SendRequest.shape.text.optional().describe('Markdown'),
  to: SendRequest.shape.to.describe(
    'The id of a chat, room or address on the platform; default the person you work for',
  ),
  files: z
    .array(z.string().trim().min(1).max(maxPaths))
    .max(10)
    .refine((files) => files.join('').length <= maxPaths, {
      error: 'The paths are too long to be approved together: send the files in several messages',
    })
    .optional()
    .describe(
      'Files to send with the text: paths in your workspace, or attachment:NAME for a file of this conversation',
    ),
})
type Input = z.output<typeof Input>

const isSending = ({ channel_id, text }: Input): boolean => channel_id !== undefined && text !== undefined

/** The files as the person who approves the call reads them: how many, and each in full. */
function filesOf({ files = [] }: Input): string {
  const paths = files.map((file) => clipped(file, maxPaths)).join(', ')
  return files.length > 1 ? `${files.length} files (${paths}) ` : files.length === 1 ? `${paths} ` : ''
}

const sentenceOf = (input: Input, where: string, maxText: number): string =>
  isSending(input)
    ? `Send ${filesOf(input)}to ${clipped(input.to ?? 'you', maxRecipient)} on ${where}: ${clipped(input.text ?? '', maxText)}`
    : 'List the channels'

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
  summary: (input) => sentenceOf(input, clipped(input.channel_id ?? '', 60), 200),
  async describe(input, { context }) {
    const channel = input.channel_id === undefined ? null : await findOwnChannel(context, input.channel_id)
    const where = channel ? `${channel.name} (${channel.platform})` : (input.channel_id ?? '')
    return sentenceOf(input, clipped(where, 100), 500)
  },
  async run({ channel_id, text, to, files = [] }, scope) {
    const { context } = scope
    if (channel_id === undefined || text === undefined) {
      if (files.length > 0) throw new ToolError('Nothing was sent: files need `channel_id` and `text`')
      const { rows: channels } = await listChannels(context, { limit: 50, offset: 0 })
      const enabledChannels = channels.filter(({ enabled }) => enabled)
      return { channels: enabledChannels.map(({ id, name, platform }) => ({ id, name, platform })) }
    }
    const { platform } = await requireDestination(context, { channel_id, to })
    const attachments = await Promise.all(files.map((file) => findFile(file, scope, platform)))
    const ids: string[] = []
    // One at a time, because each is held in memory.
    for (const { storedId } of attachments) ids.push(await storedId())
    const message = { channel_id, markdown: text, to, files: ids }
    return { sent: await sendToChannel(context, message), note: 'It is delivered with retries.' }
  },
})

/** A file that the platform accepts; `storedId` stores it first if it is in the workspace. */
async function findFile(
  file: string,
  scope: ToolScope,
  platform: Platform,
): Promise<{ storedId: () => Promise<string> }> {
  if (file.startsWith(attachmentScheme)) {
    const attachment = await requireAttachment(scope, file)
    requireAccepted(platform, attachment)
    return { storedId: async () => attachment.file_id }
  }
  const { context, signal } = scope
  const root = await rootOf(scope)
  const workspace = new Workspace(context.files, root, signal)
  const start = await workspace.bytes(file, 1)
  if (start.byteLength === 0) throw new ToolError(`There is no file ${file}, or it is empty`)
  const size_bytes = (await context.files.stat(root, file))?.size_bytes ?? 0
  const name = file.split(/[\\/]/).at(-1) ?? file
  requireAccepted(platform, { name, size_bytes })
  return {
    async storedId() {
      const bytes = await workspace.bytes(file, platform.limits.file_bytes + 1)
      return (await storeBytes(context, { name, bytes, purpose: 'channel' })).id
    },
  }
}
