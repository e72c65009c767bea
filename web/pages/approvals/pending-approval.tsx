import { Anchor, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Agent } from '../../api/agents.ts'
import { type Approval, type ApprovalAnswer, answerApproval, type Conversation } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { ApprovalBox } from '../../parts/approval/approval-box.tsx'
import { Time } from '../../parts/time.tsx'

interface PendingApprovalProps {
  approval: Approval
  conversation: Conversation | undefined
  agent: Agent | undefined
}

export function PendingApproval({ approval, conversation, agent }: PendingApprovalProps) {
  const api = useApi()
  const queries = useQueryClient()
  const answer = (given: ApprovalAnswer) =>
    answerApproval(api, approval.conversation_id, given).finally(() =>
      queries.invalidateQueries({ queryKey: ['approvals'] }),
    )
  return (
    <article className="row" style={{ display: 'block', paddingInline: 4 }} aria-label={approval.summary}>
      <Text fw={600} px={12}>
        {approval.summary}
      </Text>
      <Text size="xs" c="dimmed" component="div" px={12}>
        {agent?.name ?? 'An agent'} asked <Time at={approval.requested_at} /> in{' '}
        <Anchor component={Link} href={`/chat/${approval.conversation_id}`} inherit>
          {conversation?.title || 'the conversation'}
        </Anchor>
      </Text>
      <ApprovalBox approval={approval} answer={answer} />
    </article>
  )
}
