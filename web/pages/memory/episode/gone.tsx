import { Button, Text } from '@mantine/core'
import { IconTrash, IconZoomQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { historyQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { useRestore } from './use-restore.ts'

/** The address of an episode that is not there: it may have been deleted and can then be brought back. */
export function Gone({ id }: { id: string }) {
  const history = useQuery(historyQuery(useApi(), id))
  const restore = useRestore(id)
  const last = history.data?.versions[0]
  if (history.isPending) return <SkeletonRows />
  if (!last)
    return (
      <EmptyState icon={<IconZoomQuestion size={28} />} title="No such memory">
        It was deleted for good, or was never there.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<IconTrash size={28} />}
      title="This memory was deleted"
      action={
        <Button loading={restore.isPending} onClick={() => restore.mutate(undefined)}>
          Bring it back
        </Button>
      }
    >
      <Text span size="sm" lineClamp={3} mb={4}>
        “{last.episode.content}”
      </Text>
      By {last.changed_by}, <Time at={last.changed_at} />. It is kept for 30 days.
    </EmptyState>
  )
}
