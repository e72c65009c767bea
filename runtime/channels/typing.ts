import { findMessage } from '../chat/message-store.ts'
import { second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { findChannel } from './channel-store.ts'
import { connect, openReply } from './connection.ts'
import { typingKind } from './kinds.ts'
import type { Peer } from './platform.ts'

/** Platforms show the indicator for at least five seconds. */
const every = 4 * second
/** The indicator stops after this time. */
const maxTimes = 75

interface TypingPayload {
  channel_id: string
  peer: Peer
  /** `sealed_reply` of the message being answered. */
  sealed_reply?: string | null
  times?: number
}

const defaults = { sealed_reply: null, times: 1 }

/** Shows the typing indicator until the answer ends or waits for a person. */
export const typing: WorkKind = {
  kind: typingKind,
  max_running: 20,
  timeout_seconds: 15,
  after_crash: 'lose',
  async run({ subject, payload }, context) {
    const { channel_id, peer, sealed_reply, times } = {
      ...defaults,
      ...(payload as unknown as TypingPayload),
    }
    const answer = await findMessage(context, subject)
    const channel = await findChannel(context, channel_id)
    const isWaiting = answer?.parts.some((part) => part.type === 'tool_use' && part.state === 'waiting')
    if (!channel?.enabled || answer?.status !== 'streaming' || isWaiting) return { status: 'succeeded' }
    try {
      const { platform, connection } = await connect(context, channel)
      const reply = await openReply(context, sealed_reply)
      await within(context, { milliseconds: every }, (signal) =>
        Promise.resolve(platform.typing?.(peer, connection, { ...context, signal }, reply)),
      )
    } catch (thrown) {
      context.log.write('debug', 'cannot show the typing indicator', { cause: String(thrown) })
      return { status: 'succeeded' }
    }
    if (times >= maxTimes) return { status: 'succeeded' }
    const again = { channel_id, peer, sealed_reply, times: times + 1 }
    const due = context.clock.now() + every
    return {
      status: 'succeeded',
      statements: [insertWork(context, { kind: typingKind, subject, payload: again, due }).statement],
    }
  },
}
