import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Run } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'

const words: Record<Exclude<Run['delivery_status'], 'none'>, string> = {
  pending: 'The result is on its way.',
  delivered: 'The result was delivered.',
  failed: 'The result could not be delivered.',
}

/** What became of the result; one that did not arrive is sent again without another run. */
export function DeliveryLine({ run }: { run: Run }) {
  const api = useApi()
  const queries = useQueryClient()
  const again = useMutation({
    mutationFn: () => api.post(`/api/scheduler/jobs/${run.job_id}/runs/${run.id}/redeliver`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['scheduler'] }),
  })
  if (run.delivery_status === 'none') return null
  const failed = run.delivery_status === 'failed'
  return (
    <Group gap="xs">
      <Text size="sm" c={failed ? 'var(--mantine-color-error)' : 'dimmed'}>
        {words[run.delivery_status]} {run.delivery_error}
      </Text>
      {failed && (
        <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          Deliver again
        </Button>
      )}
    </Group>
  )
}
