import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useEndpoint } from '../api/query.ts'
import { EmptyState } from './list.tsx'

/** Whether the user is an administrator; undefined until that is known. */
export const useIsAdmin = (): boolean | undefined => useEndpoint('/api/auth/me').data?.scopes.includes('admin')

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
  const isAdmin = useIsAdmin()
  if (isAdmin === undefined) return null
  if (isAdmin) return children
  return (
    <EmptyState icon={<IconLock />} title="For administrators">
      {reason}
    </EmptyState>
  )
}
