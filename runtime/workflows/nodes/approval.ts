import { z } from 'zod'
import { iso, second } from '../../time.ts'
import { nodeType } from '../node-type.ts'

export const approval = nodeType({
  type: 'approval',
  title: 'Approval',
  description:
    'Asks the owner and continues at Approved or Rejected. Its output is {choice, comment, input}. Waits as long as it takes.',
  category: 'people',
  params: z.object({
    message: z.string().trim().min(1).max(5_000).meta({ 'x-format': 'multiline' }),
    approve_label: z.string().trim().min(1).max(50).default('Approve'),
    reject_label: z.string().trim().min(1).max(50).default('Reject'),
    expires_after_seconds: z.number().int().min(1).max(31_536_000).nullable().default(null).meta({
      title: 'Expires after (seconds)',
      description: 'Then it counts as rejected; empty: never',
    }),
  }),
  outputs: [
    { name: 'true', label: 'Approved' },
    { name: 'false', label: 'Rejected' },
  ],
  risk: 'low',
  async run({ message, approve_label, reject_label, expires_after_seconds }, { context }) {
    const until =
      expires_after_seconds === null ? null : iso(context.clock.now() + expires_after_seconds * second)
    return { wait: { kind: 'approval', message, options: [approve_label, reject_label], until } }
  },
  async resume(_, { input }, { options = [] }, signal) {
    if (signal.type !== 'answer') return { output: { choice: 'expired', comment: '', input }, to: 'false' }
    const { choice, comment, by } = signal
    return { output: { choice, comment, by, input }, to: String(choice === options[0]) }
  },
})
