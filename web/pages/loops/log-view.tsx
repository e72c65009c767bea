import type { LoopDetails } from '../../../runtime/loops/schema.ts'
import { ConversationLog } from '../../parts/conversation-log.tsx'
import { Hint } from '../../parts/typography.tsx'

/** The steps of the agent, as they are made. */
export const LogView = ({ loop: { conversation_id, status } }: { loop: LoopDetails }) =>
  conversation_id ? (
    <ConversationLog conversation={conversation_id} running={status === 'running'} />
  ) : (
    <Hint py="md">The agent has not started yet.</Hint>
  )
