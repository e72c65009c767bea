import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { CheckIn } from '../../../runtime/chat/schema.ts'
import { useApi } from '../../app/services.tsx'

const CheckInPopover = lazy(async () => ({
  default: (await import('./check-in-popover.tsx')).CheckInPopover,
}))

/** The check-ins that are open, soonest first; each can be cancelled. Nothing is shown while there is none. */
export function CheckIns({ conversation }: { conversation: string }) {
  const api = useApi()
  const path = `/api/chat/conversations/${conversation}/check-ins`
  const query = useQuery({
    queryKey: ['check-ins', conversation],
    queryFn: ({ signal }) => api.get<{ check_ins: CheckIn[] }>(path, {}, signal),
  })
  const open = query.data?.check_ins ?? []
  if (open.length === 0) return null
  return (
    <Suspense>
      <CheckInPopover conversation={conversation} open={open} />
    </Suspense>
  )
}
