import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Replay } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Time } from '../../../parts/time.tsx'

const states: Record<Replay['status'], { label: string; color: string }> = {
  queued: { label: 'Waiting', color: 'gray' },
  running: { label: 'Running', color: 'blue' },
  completed: { label: 'Done', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

/** How the latest replay stands. */
export function ReplayStanding({ replay }: { replay: Replay }) {
  const { replay_id, status, steps, error, created_at } = replay
  const api = useApi()
  const cancel = useMutation({ mutationFn: () => api.post(`/api/browser/replays/${replay_id}/cancel`) })
  const done = steps.filter((step) => step.status === 'completed').length
  const runs = status === 'running' || status === 'queued'
  return (
    <Stack gap={6} px="sm" pb="sm" role="status">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          {/* The colour of all text: light colours on their own tint are too faint to read. */}
          <Badge size="sm" variant="light" color={states[status].color} c="var(--mantine-color-text)">
            {states[status].label}
          </Badge>
          <Text size="xs" c="dimmed" component="div">
            {done} of {steps.length} · <Time at={created_at} />
          </Text>
        </Group>
        {runs && (
          <Button
            size="compact-xs"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
      </Group>
      <Progress
        size="sm"
        aria-label="Steps that are done"
        value={steps.length === 0 ? 0 : (100 * done) / steps.length}
        color={states[status].color}
      />
      {error && (
        <Alert color="red" variant="light" p="xs">
          <Text size="xs">{error}</Text>
        </Alert>
      )}
    </Stack>
  )
}
