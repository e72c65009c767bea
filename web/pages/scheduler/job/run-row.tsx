import { Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Run } from '../../../api/scheduler.ts'
import { duration, money } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import { triggerLabels } from '../labels.ts'
import { RunBadge } from '../status-badge.tsx'

export function RunRow({ run, name }: { run: Run; name: string | undefined }) {
  const words = firstLine(run.error ?? run.output)
  return (
    <Link href={`/scheduler/${run.job_id}/${run.id}`} className="row">
      <RunBadge status={run.status} waiting={run.waiting_approval} />
      <div className="grow">
        <Group gap="xs">
          {name && (
            <Text size="sm" fw={550}>
              {name}
            </Text>
          )}
          <Text size="sm">
            <Time at={run.started_at ?? run.scheduled_for} />
          </Text>
          <Text size="xs" c="dimmed">
            {triggerLabels[run.trigger]}
            {run.attempt > 1 && `, try ${run.attempt}`}
          </Text>
        </Group>
        {words && (
          <Text size="xs" c="dimmed" truncate>
            {words}
          </Text>
        )}
      </div>
      <Text size="xs" c="dimmed" ta="right" style={{ flexShrink: 0 }}>
        {run.duration_seconds !== null && duration(run.duration_seconds)}
        {run.cost_usd > 0 && (
          <>
            <br />
            {money(run.cost_usd)}
          </>
        )}
      </Text>
    </Link>
  )
}

const firstLine = (text: string | null): string => text?.trim().split('\n', 1)[0] ?? ''
