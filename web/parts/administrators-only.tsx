import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useEndpoint } from '../api/query.ts'
import { EmptyState } from './states.tsx'

interface AdministratorsOnlyProps {
  /** Why others cannot use it. */
  reason?: string
  children: ReactNode
}

/** Shows its children to administrators, and the reason to everyone else. */
export function AdministratorsOnly({
  reason = 'Ask an administrator of this hearthd to change this.',
  children,
}: AdministratorsOnlyProps) {
  const me = useEndpoint('/api/auth/me').data
  if (!me) return null
  if (me.scopes.includes('admin')) return children
  return (
    <EmptyState icon={<IconLock />} title="For administrators">
      {reason}
    </EmptyState>
  )
}
