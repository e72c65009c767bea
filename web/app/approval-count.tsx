import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pendingApprovalsQuery } from '../api/chat.ts'
import { useApi } from './services.tsx'

export function usePendingCount(): number {
  return useQuery(pendingApprovalsQuery(useApi())).data?.total ?? 0
}

/** How many approvals wait, beside the name of their page. */
export function ApprovalCount() {
  const count = usePendingCount()
  if (count === 0) return null
  return (
    <Badge size="sm" circle={count < 10} aria-label={`${count} waiting`}>
      {count}
    </Badge>
  )
}
