import { Anchor, Badge, Button, Code, Collapse, Group, Text, UnstyledButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { Time } from '../../parts/time.tsx'

const riskColors = { low: 'gray', medium: 'yellow', high: 'red' } as const

export function ApprovalCard({ approval }: { approval: Approval }) {
  const [opened, setOpened] = useState(false)
  const api = useApi()
  const queries = useQueryClient()
  const answer = useMutation({
    mutationFn: (approved: boolean) =>
      api.post(`/api/chat/conversations/${approval.conversation_id}/approval-response`, {
        approval_id: approval.id,
        approved,
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  })
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={approval.summary}>
      <div className="grow" style={{ flexBasis: '16rem' }}>
        <Group gap="xs">
          <Text fw={500}>{approval.summary}</Text>
          <Badge size="sm" variant="light" color={riskColors[approval.risk]}>
            {approval.risk} risk
          </Badge>
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {approval.tool} · asked <Time at={approval.requested_at} /> · ends <Time at={approval.expires_at} />{' '}
          ·{' '}
          <Anchor component={Link} href={`/chat/${approval.conversation_id}`} inherit>
            open the chat
          </Anchor>{' '}
          ·{' '}
          <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? 'hide the input' : 'show the input'}
          </UnstyledButton>
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
          Reject
        </Button>
        <Button
          size="xs"
          loading={answer.isPending && answer.variables}
          disabled={answer.isPending}
          onClick={() => answer.mutate(true)}
        >
          Approve
        </Button>
      </Group>
      <Collapse expanded={opened} style={{ flexBasis: '100%', minWidth: 0 }}>
        <Code block>{JSON.stringify(approval.input, null, 2)}</Code>
      </Collapse>
    </article>
  )
}
