import { Alert, EmptyState as Empty, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError, readable, worthRetrying } from '../api/error.ts'
import { SmallButton } from './buttons.tsx'
import { Hint } from './hint.tsx'

interface ErrorStateProps {
  error: unknown
  /** What could not be loaded, such as "Agents". */
  what?: string
  retry?: () => unknown
}

/** An error: what happened, what to do, and a retry button. */
export function ErrorState({ error, what, retry }: ErrorStateProps) {
  const offline = error instanceof ApiError && error.offline
  const title = offline ? 'hearthd is not answering' : `${what ?? 'This'} could not be loaded`
  return (
    <Alert
      role="alert"
      color={offline ? 'gray' : 'red'}
      title={title}
      m="md"
      icon={offline ? <IconPlugConnectedX size={18} /> : <IconAlertTriangle size={18} />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{readable(error)}</Text>
        {error instanceof ApiError && error.request_id && <Hint>Request {error.request_id}</Hint>}
        {retry && worthRetrying(error) && <SmallButton onClick={() => retry()}>Try again</SmallButton>}
      </Stack>
    </Alert>
  )
}

interface EmptyStateProps {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Empty py="xl" icon={icon} title={title} description={children}>
      {action && (
        <Empty.Actions>
          <Group>{action}</Group>
        </Empty.Actions>
      )}
    </Empty>
  )
}

/** Rows of the height that the data will have, so nothing jumps when it arrives. */
export function SkeletonRows({ count = 4, height = 44 }: { count?: number; height?: number }) {
  return (
    <Stack gap={0} aria-busy="true">
      {places(count).map((place) => (
        <div key={place} className="row" style={{ height }}>
          <Skeleton height={12} radius="xl" width={`${70 - (place % 3) * 15}%`} />
        </div>
      ))}
    </Stack>
  )
}

/** Shown while the code of a page is loading. */
export function PageSkeleton() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton height={26} width={180} mb="lg" />
      <div className="card">
        <SkeletonRows count={5} />
      </div>
    </div>
  )
}

export function CardSkeletons({ count, height }: { count: number; height: number }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} aria-busy="true">
      {places(count).map((place) => (
        <Skeleton key={place} height={height} radius="md" />
      ))}
    </SimpleGrid>
  )
}

const places = (count: number) => Array.from({ length: count }, (_, place) => place)
