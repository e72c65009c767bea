import { Anchor, Badge, Text, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Approval, ApprovalPage } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ShowMore } from '../../parts/show-more.tsx'
import { Time } from '../../parts/time.tsx'

const pageSize = 50

/** What was answered, or was not in time. */
export function History() {
  const api = useApi()
  const query = useInfiniteQuery({
    queryKey: ['approvals', 'history'],
    queryFn: ({ pageParam, signal }) =>
      api.get<ApprovalPage>('/api/chat/approvals', { limit: pageSize, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
  })
  return (
    <Panel title="Before">
      <Loaded query={query} what="Earlier approvals">
        {({ pages }) => {
          const answered = pages
            .flatMap((page) => page.approvals)
            .filter(({ status }) => status !== 'pending')
          if (answered.length === 0 && !query.hasNextPage) return <Nothing />
          return (
            <>
              {answered.map((approval) => (
                <Answered key={approval.id} approval={approval} />
              ))}
              <ShowMore query={query} />
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Nothing() {
  return (
    <Text size="sm" c="dimmed" px="md" pb="md">
      Nothing was asked so far.
    </Text>
  )
}

const outcomes: Record<Approval['status'], { label: string; color: string }> = {
  pending: { label: 'Waiting', color: 'yellow' },
  approved: { label: 'Approved', color: 'teal' },
  rejected: { label: 'Rejected', color: 'red' },
  expired: { label: 'Expired', color: 'gray' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

function Answered({ approval }: { approval: Approval }) {
  const [opened, setOpened] = useState(false)
  const { label, color } = outcomes[approval.status]
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={approval.summary}>
      <div className="words">
        <Text size="sm">{approval.summary}</Text>
        <Text size="xs" c="dimmed" component="div">
          {approval.tool} · <Time at={approval.resolved_at ?? approval.requested_at} />
          {approval.resolved_by && ` by ${approval.resolved_by}`} ·{' '}
          <Anchor component={Link} href={`/chat/${approval.conversation_id}`} inherit>
            open the chat
          </Anchor>{' '}
          ·{' '}
          <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? 'hide the input' : 'show the input'}
          </UnstyledButton>
        </Text>
      </div>
      <Badge variant="light" color={color}>
        {label}
      </Badge>
      {opened && (
        <div style={{ flexBasis: '100%', minWidth: 0 }}>
          <JsonView label="Input" value={approval.input} />
        </div>
      )}
    </article>
  )
}
