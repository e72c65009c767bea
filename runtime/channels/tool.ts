import { z } from 'zod'
import { Fault } from '../fault.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, tool } from '../tools/tool.ts'
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
  file_ids: z.array(z.string()).max(10).optional(),
})
type Input = z.output<typeof Input>

const isSending = ({ channel_id, text }: Input): boolean => channel_id !== undefined && text !== undefined

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
      ? `Send to ${clipped(input.to ?? 'you', 100)} on ${clipped(input.channel_id ?? '', 60)}: ${clipped(input.text ?? '', 200)}`
      : 'List the channels',
  async describe(input, { context }) {
    const channel = input.channel_id === undefined ? null : await findOwnChannel(context, input.channel_id)
    const where = channel ? `${channel.name} (${channel.platform})` : (input.channel_id ?? '')
    return isSending(input)
      ? `Send to ${clipped(input.to ?? 'you', 100)} on ${clipped(where, 100)}: ${clipped(input.text ?? '', 500)}`
      : 'List the channels'
  },
  async run({ channel_id, text, to, file_ids }, { context }) {
    if (channel_id === undefined || text === undefined) {
      const { channels } = await listChannels(context, { limit: 50, offset: 0 })
      const shown = channels.filter(({ enabled }) => enabled)
      return { channels: shown.map(({ id, name, platform }) => ({ id, name, platform })) }
    }
    try {
      const message = { channel_id, markdown: text, to, files: file_ids ?? [] }
      return { sent: await sendToChannel(context, message), note: 'It is delivered with retries.' }
    } catch (thrown) {
      throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
    }
  },
})
