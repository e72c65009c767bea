import { MultiSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEndpoint } from '../api/query.ts'

interface UserChoiceProps {
  label: string
  description: string
  /** Shown instead to people who cannot read the list of users. */
  otherwise?: ReactNode
  value: string[]
  onChange: (ids: string[]) => void
  error?: ReactNode
}

/** A choice of users, for administrators. Users who were deleted stay visible and can be removed. */
export function UserChoice({ otherwise = null, value, ...props }: UserChoiceProps) {
  const isAdmin = useEndpoint('/api/auth/me').data?.user?.role === 'admin'
  const users = useEndpoint('/api/auth/users', { query: { limit: 200 } }, { enabled: isAdmin }).data?.users
  if (!isAdmin) return otherwise
  const known = users?.map(({ id, display_name, username }) => ({
    value: id,
    label: display_name || username,
  }))
  const missing = value.filter((id) => !users?.some((user) => user.id === id))
  return (
    <MultiSelect
      {...props}
      data={[...(known ?? []), ...missing.map((id) => ({ value: id, label: known ? `${id} (deleted)` : id }))]}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No matches"
      value={value}
    />
  )
}
