import { z } from 'zod'
import { ownerOf } from '../../auth/owner.ts'
import { type ChannelMessage, findOwnChannel, sendToChannel } from '../../channels/index.ts'
import { note } from '../../chat/index.ts'
import { MailRefused } from '../../ports/mail.ts'
import { readSection } from '../../sections/section.ts'
import { emailSettings, sendEmail } from '../../settings/index.ts'
import { expiresAfter, expiryOf, formShape } from '../form.ts'
import { NodeError, type NodeScope, nodeType, refusal } from '../node-type.ts'
import { findConversationId, setConversation } from '../workflow-store.ts'

export const approval = nodeType({
  type: 'approval',
  title: 'Approval',
  description:
    'Asks the owner and continues at Approved or Rejected. Its output is {choice, comment, values, input}. Waits as long as it takes.',
  category: 'people',
  params: z.object({
    message: z.string().trim().min(1).max(5_000).meta({ 'x-format': 'multiline' }),
    approve_label: z.string().trim().min(1).max(50).default('Approve'),
    reject_label: z.string().trim().min(1).max(50).default('Reject'),
    expires_after_seconds: expiresAfter('it counts as rejected'),
    fields: formShape.fields.meta({ title: 'Fields', description: 'Asked for if it is approved' }),
    by_link: z.boolean().default(false).meta({
      title: 'Answer at its address',
      description: 'Whoever knows execution.approval_url may answer, for example from a message',
    }),
  }),
  outputs: [
    { name: 'true', label: 'Approved' },
    { name: 'false', label: 'Rejected' },
  ],
  risk: 'low',
  async run({ message, approve_label, reject_label, expires_after_seconds, fields, by_link }, { context }) {
    const until = expiryOf(context.clock.now(), expires_after_seconds)
    return {
      wait: { kind: 'approval', message, options: [approve_label, reject_label], until, data: { fields, by_link } },
    }
  },
  async resume(_, { input }, { options = [] }, signal) {
    if (signal.type !== 'answer') return { output: { choice: 'expired', comment: '', input }, to: 'false' }
    const { choice, comment, by, values = {} } = signal
    return { output: { choice, comment, by, values, input }, to: String(choice === options[0]) }
  },
})

export const notify = nodeType({
  type: 'notify',
  title: 'Notify',
  description:
    'Sends the owner a message: in a conversation of the workflow, by email, or on a channel such as Telegram. Its output is the input.',
  category: 'people',
  params: z.object({
    channel: z.enum(['chat', 'email', 'channel']).default('chat').meta({ title: 'Send by' }),
    channel_id: z.string().max(64).default('').meta({ description: 'Channel to send on', 'x-format': 'channel' }),
    message: z.string().trim().min(1).max(100_000).meta({ 'x-format': 'multiline' }),
    subject: z.string().max(200).default('').meta({ description: 'For email; default: the name of the workflow' }),
    to: z.string().max(500).default('').meta({
      description:
        'Email addresses, or the id of a chat of the channel. Leave blank for the sender address in the settings, or the channel’s paired owner',
    }),
  }),
  risk: 'medium',
  side_effects: true,
  // A message in a conversation is stored in one commit.
  effect: () => true,
  async problems({ channel, channel_id }, context) {
    if (channel === 'channel' && !(await findOwnChannel(context, channel_id)))
      return [{ field: 'channel_id', message: 'is not the id of a channel' }]
    const { enabled } = await readSection(context, emailSettings)
    return channel === 'email' && !enabled
      ? [{ field: 'channel', message: 'needs a mail server; set one up in the settings' }]
      : []
  },
  async run({ channel, channel_id, message, subject, to }, scope) {
    if (channel === 'chat') await inject(scope, message)
    else if (channel === 'channel') await send(scope, { channel_id, markdown: message, to: to || undefined })
    else await mail(scope, { subject: subject || scope.execution.name, text: message, to })
    return { output: scope.input }
  },
})

async function mail(
  { context }: NodeScope,
  { to, ...sent }: { subject: string; text: string; to: string },
): Promise<void> {
  const addresses = to.split(',').flatMap((address) => address.trim() || [])
  try {
    await sendEmail(context, { ...sent, to: addresses })
  } catch (thrown) {
    if (thrown instanceof MailRefused) throw new NodeError('email', thrown.message, { definite: thrown.unsent })
    throw refusal(thrown, 'email')
  }
}

async function send({ context }: NodeScope, message: ChannelMessage): Promise<void> {
  try {
    await sendToChannel(context, message)
  } catch (thrown) {
    throw refusal(thrown, 'channel')
  }
}

/** Adds a message to the conversation of the workflow, which the first one creates. */
async function inject({ context, execution }: NodeScope, content: string): Promise<void> {
  const conversation = await findConversationId(context, execution.workflow_id)
  const { conversation_id, is_new, statements, events } = await note(context, {
    conversation_id: conversation,
    title: execution.name,
    content,
  })
  const kept = is_new ? [setConversation(execution.workflow_id, ownerOf(context), conversation_id)] : []
  await context.commit([...statements, ...kept], events)
}
