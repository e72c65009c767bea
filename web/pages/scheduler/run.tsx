import { Alert, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconCalendarOff, IconMessageCircle, IconPlayerStop } from '@tabler/icons-react'
import type { Job, ShownRun as Run } from '../../../runtime/scheduler/schema.ts'
import { useOptional } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { ConversationLog } from '../../parts/conversation-log.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Found } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { duration, money, whole } from '../../parts/numbers.ts'
import { Facts } from '../../parts/status.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { triggerOf } from './runs.tsx'
import { RunBadge, runLabels } from './status.tsx'
import { isTarget, targets } from './targets.tsx'

interface RunDrawerProps {
  job: Job
  id: string
  close: () => void
}

export function RunDrawer({ job, id, close }: RunDrawerProps) {
  const query = useOptional('/api/scheduler/jobs/{id}/runs/{run_id}', { params: { id: job.id, run_id: id } })
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={`Run of ${job.name}`}>
      <Found query={query} what="This run" icon={<IconCalendarOff />}>
        {(run) => <RunDetail job={job} run={run} />}
      </Found>
    </Drawer>
  )
}

const isActive = ({ status }: Run) => status === 'queued' || status === 'running'

const paramsOf = ({ job_id, id }: Run) => ({ id: job_id, run_id: id })

/** Statuses whose reason is not an error. */
const harmless = ['skipped', 'missed', 'cancelled']

function RunDetail({ job, run }: { job: Job; run: Run }) {
  const { kind } = job.target
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <RunBadge run={run} />
          <Muted>{triggerOf(run)}</Muted>
          <CopyButton value={run.id} what="run ID" />
        </Group>
        <Group gap="xs">
          {run.conversation_id && (
            <LinkButton icon={IconMessageCircle} href={`/chat/${run.conversation_id}`}>
              Open conversation
            </LinkButton>
          )}
          {isTarget(kind) && run.started_id && (
            <LinkButton href={targets[kind].started(job.target, run.started_id)}>
              Open {targets[kind].field.toLowerCase()}
            </LinkButton>
          )}
          {isActive(run) && <Cancel run={run} />}
        </Group>
      </Group>
      <RunFacts run={run} />
      {run.error && (
        <Alert color={harmless.includes(run.status) ? 'gray' : 'red'} title={runLabels[run.status].label}>
          {run.error}
        </Alert>
      )}
      {run.delivery_status !== 'none' && <Delivery run={run} />}
      {run.output && (
        <section aria-label="Output">
          <Group justify="space-between">
            <Text fw={600} size="sm">
              Output
            </Text>
            <CopyButton value={run.output} what="output" />
          </Group>
          <Markdown text={run.output} />
        </section>
      )}
      {run.conversation_id && <ConversationLog conversation={run.conversation_id} running={isActive(run)} />}
    </Stack>
  )
}

function RunFacts({ run }: { run: Run }) {
  const zone = useZone()
  const facts: [string, string][] = [
    ['Scheduled for', exact(run.scheduled_for, zone)],
    ['Started', run.started_at ? exact(run.started_at, zone) : '—'],
    ['Ended', run.completed_at ? exact(run.completed_at, zone) : '—'],
    ['Duration', run.duration_seconds === null ? '—' : duration(run.duration_seconds)],
    ['Tokens', whole(run.input_tokens + run.output_tokens)],
    ['Cost', money(run.cost_usd)],
  ]
  return <Facts facts={facts} />
}

function Cancel({ run }: { run: Run }) {
  const cancel = useChange(
    (api) => api.post('/api/scheduler/jobs/{id}/runs/{run_id}/cancel', { params: paramsOf(run) }),
    { stale: ['/api/scheduler'] },
  )
  return (
    <ActionButton icon={IconPlayerStop} c="var(--mantine-color-error)" run={cancel}>
      Cancel run
    </ActionButton>
  )
}

const deliveryTexts: Record<Run['delivery_status'], string> = {
  none: '',
  pending: 'The result is being delivered.',
  delivered: 'The result was delivered.',
  failed: 'The result could not be delivered.',
}

function Delivery({ run }: { run: Run }) {
  const redeliver = useChange(
    (api) => api.post('/api/scheduler/jobs/{id}/runs/{run_id}/redeliver', { params: paramsOf(run) }),
    { stale: ['/api/scheduler'] },
  )
  const failed = run.delivery_status === 'failed'
  return (
    <Group gap="xs">
      <Text size="sm" c={failed ? 'var(--mantine-color-error)' : 'dimmed'}>
        {deliveryTexts[run.delivery_status]} {run.delivery_error}
      </Text>
      {failed && (
        <ActionButton size="compact-xs" run={redeliver}>
          Deliver again
        </ActionButton>
      )}
    </Group>
  )
}
