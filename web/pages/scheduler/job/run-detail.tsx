import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconMessageCircle, IconPlayerStop } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Run } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Markdown } from '../../../parts/markdown/markdown.tsx'
import { duration, money, whole } from '../../../parts/numbers.ts'
import { exact, useZone } from '../../../parts/time.tsx'
import { runLabels, triggerLabels } from '../labels.ts'
import classes from '../scheduler.module.css'
import { RunBadge } from '../status-badge.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import { RunLog } from './run-log.tsx'

const isOpen = ({ status }: Run) => status === 'queued' || status === 'running'
const quiet = ['skipped', 'missed', 'cancelled']

/** What came of a run, what it did on the way, and what it took. */
export function RunDetail({ run }: { run: Run }) {
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <RunBadge status={run.status} waiting={run.waiting_approval} />
          <Text size="sm" c="dimmed">
            {triggerLabels[run.trigger]}
            {run.attempt > 1 && `, try ${run.attempt}`}
          </Text>
          <CopyButton value={run.id} what="the id of the run" />
        </Group>
        <Group gap="xs">
          {run.conversation_id && (
            <Button
              component={Link}
              href={`/chat/${run.conversation_id}`}
              size="xs"
              variant="default"
              leftSection={<IconMessageCircle size={14} />}
            >
              Conversation
            </Button>
          )}
          {isOpen(run) && <Cancel run={run} />}
        </Group>
      </Group>
      <Facts run={run} />
      {run.error && (
        <Alert
          color={quiet.includes(run.status) ? 'gray' : 'red'}
          variant="light"
          title={runLabels[run.status].label}
        >
          {run.error}
        </Alert>
      )}
      <DeliveryLine run={run} />
      {run.output && (
        <section aria-label="Output">
          <Group justify="space-between">
            <Text fw={600} size="sm">
              Output
            </Text>
            <CopyButton value={run.output} what="the output" />
          </Group>
          <Markdown text={run.output} />
        </section>
      )}
      {run.conversation_id && <RunLog conversation={run.conversation_id} running={isOpen(run)} />}
    </Stack>
  )
}

function Facts({ run }: { run: Run }) {
  const zone = useZone()
  const facts: [string, string][] = [
    ['Was due', exact(run.scheduled_for, zone)],
    ['Began', run.started_at ? exact(run.started_at, zone) : '—'],
    ['Ended', run.completed_at ? exact(run.completed_at, zone) : '—'],
    ['Took', run.duration_seconds === null ? '—' : duration(run.duration_seconds)],
    ['Tokens', whole(run.input_tokens + run.output_tokens)],
    ['Cost', money(run.cost_usd)],
  ]
  return (
    <dl className={classes.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt className={classes.term}>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Cancel({ run }: { run: Run }) {
  const api = useApi()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => api.post<Run>(`/api/scheduler/jobs/${run.job_id}/runs/${run.id}/cancel`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['scheduler'] }),
  })
  return (
    <Button
      size="xs"
      variant="default"
      c="var(--mantine-color-error)"
      leftSection={<IconPlayerStop size={14} />}
      loading={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel
    </Button>
  )
}
