import { Alert, Badge, Button, Flex, Group, Progress, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import {
  IconCheck,
  IconCircle,
  IconLoader2,
  IconMovie,
  IconPencil,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconX,
} from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import type { RecordingDetail as Recording, Replay, ReplayStep } from '../../../runtime/browser/recordings/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { FormProblem, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { counted, whole } from '../../parts/numbers.ts'
import { statusesOf } from '../../parts/statuses.ts'
import { Time } from '../../parts/time.tsx'
import { BackLink, Hint } from '../../parts/typography.tsx'
import { inputOf, targetOf, titleOf } from './action-fields.ts'
import classes from './browser.module.css'
import { NameForm } from './name-form.tsx'

const isActive = (replay: Replay | undefined) => replay?.status === 'running' || replay?.status === 'queued'

/** One recording: its steps, the replay form, and the latest replay. */
export function RecordingDetail({ id }: { id: string }) {
  const query = useEndpoint('/api/browser/recordings/{id}', { params: { id } })
  const replays = useEndpoint('/api/browser/recordings/{id}/replays', { params: { id } }).data?.replays ?? []
  const [latest] = replays
  return (
    <>
      <BackLink href="/browser/recordings" px="sm" pt="sm" mb={0}>
        All recordings
      </BackLink>
      <Loaded query={query} what="The recording">
        {(recording) => (
          <>
            <Name key={recording.name} recording={recording} />
            <Hint px="sm">
              {counted(recording.action_count, 'action', 'actions')}
              {recording.start_url && ` · starts at ${recording.start_url}`}
            </Hint>
            <ReplayForm recording={recording} active={isActive(latest)} />
            {latest && <ReplayStatus replay={latest} />}
            <ol className={`plain ${classes.list}`} aria-label="Steps">
              {recording.steps.map((step, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies a step
                <li key={index} className={classes.entry}>
                  <Step step={step} result={latest?.steps[index]} number={index + 1} />
                </li>
              ))}
            </ol>
            {replays.length > 1 && (
              <Hint p="sm">
                Replayed {counted(replays.length, 'time', 'times')},{' '}
                {replays.filter(({ status }) => status === 'completed').length} completed
              </Hint>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function Name({ recording: { recording_id, name } }: { recording: Recording }) {
  const [editing, setEditing] = useState(false)
  const close = () => setEditing(false)
  if (editing)
    return (
      <NameForm
        title="Rename"
        aria-label="New name"
        initial={name}
        autoFocus
        onKeyDown={({ key }) => key === 'Escape' && close()}
        verb="Save name"
        icon={IconCheck}
        save={(api, next) =>
          api.put('/api/browser/recordings/{id}', { params: { id: recording_id }, body: { name: next } })
        }
        stale={['/api/browser/recordings', '/api/browser/screen-recordings']}
        saved={close}
      />
    )
  return (
    <Group px="sm" pt="xs" gap={4} wrap="nowrap">
      <Title order={2} size="h5" className="verbatim">
        {name}
      </Title>
      <IconButton label="Rename" icon={IconPencil} onClick={() => setEditing(true)} />
    </Group>
  )
}

const speeds = [
  { value: '1', label: 'As recorded' },
  { value: '4', label: '4× speed' },
  { value: '0', label: 'No pauses' },
]

interface ReplayFormProps {
  recording: Recording
  /** A replay is running. */
  active: boolean
}

/** Passwords are not recorded, so each one is entered before a replay. */
function ReplayForm({ recording, active }: ReplayFormProps) {
  const { variables, status, steps } = recording
  const api = useApi()
  const refresh = useRefresh()
  const form = useApiForm({
    initial: {
      speed: '1',
      continueOnError: false,
      recordScreen: false,
      variables: Object.fromEntries(variables.map((name) => [name, ''])),
    },
    async save({ speed, continueOnError, recordScreen, variables: values }) {
      const body = {
        speed: Number(speed),
        variables: values,
        stop_on_error: !continueOnError,
        wait_seconds: 0,
      }
      const { recording_id } = recording
      if (recordScreen)
        await api.post('/api/browser/screen-recording/from-recording/{recording_id}', {
          params: { recording_id },
          body,
        })
      else await api.post('/api/browser/recordings/{id}/replay', { params: { id: recording_id }, body })
      return recordScreen
    },
    async saved(recordScreen) {
      await refresh('/api/browser/recordings', '/api/browser/screen-recordings')
      if (recordScreen) announce('The screen recording will appear in the list of recordings')
    },
  })
  const { password, toggle } = inputsOf(form, { size: 'xs' })
  const disabled = active || form.sending || status === 'recording' || steps.length === 0
  return (
    <form aria-label="Replay" onSubmit={form.submit}>
      <Stack gap="xs" p="sm">
        <FormProblem form={form} />
        <SegmentedControl size="xs" aria-label="Speed" data={speeds} {...form.getInputProps('speed')} />
        {variables.map((name) => (
          <Fragment key={name}>{password(`variables.${name}`, name, { required: true })}</Fragment>
        ))}
        {toggle('continueOnError', 'Continue after a failed step')}
        <Group gap="xs">
          <Button
            type="submit"
            size="xs"
            leftSection={<IconPlayerPlay size={15} />}
            disabled={disabled}
            onClick={() => form.setFieldValue('recordScreen', false)}
          >
            Replay
          </Button>
          <SmallButton
            type="submit"
            icon={IconMovie}
            disabled={disabled}
            onClick={() => form.setFieldValue('recordScreen', true)}
          >
            Replay and record screen
          </SmallButton>
        </Group>
        {steps.length === 0 && <Hint>This recording has no actions.</Hint>}
      </Stack>
    </form>
  )
}

const statusOf = statusesOf<Replay['status']>()

function ReplayStatus({ replay }: { replay: Replay }) {
  const { replay_id, status, steps, error, created_at } = replay
  const done = steps.filter((step) => step.status === 'completed').length
  const { label, color } = statusOf(status)
  return (
    <Stack gap={6} px="sm" pb="sm" role="status">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          {/* In the color of text: light colors on their own tint have too little contrast. */}
          <Badge color={color} c="var(--mantine-color-text)">
            {label}
          </Badge>
          <Hint>
            {done} of {steps.length} · <Time at={created_at} />
          </Hint>
        </Group>
        {isActive(replay) && (
          <ActionButton
            size="compact-xs"
            run={(api) => api.post('/api/browser/replays/{id}/cancel', { params: { id: replay_id } })}
          >
            Cancel
          </ActionButton>
        )}
      </Group>
      <Progress
        size="sm"
        aria-label="Completed steps"
        value={steps.length === 0 ? 0 : (100 * done) / steps.length}
        color={color}
      />
      {error && (
        <Alert color="red" p="xs">
          <Text size="xs">{error}</Text>
        </Alert>
      )}
    </Stack>
  )
}

const icons = {
  pending: IconCircle,
  running: IconLoader2,
  completed: IconCheck,
  failed: IconX,
  skipped: IconPlayerSkipForward,
} as const

interface StepProps {
  step: Recording['steps'][number]
  /** The result in the latest replay. */
  result: ReplayStep | undefined
  number: number
}

function Step({ step: { action, element }, result, number }: StepProps) {
  const Icon = result && icons[result.status]
  return (
    <>
      <Flex component="span" gap="0.5rem" align="flex-start">
        <span className={classes.number}>{number}</span>
        <span className="grow">
          <b>{titleOf(action.action)}</b> {targetOf(action, element?.name ?? element?.text ?? null)}{' '}
          <i>{inputOf(action)}</i>
        </span>
        {Icon && <Icon size={16} role="img" aria-label={result.status} />}
      </Flex>
      {result && result.status !== 'pending' && (
        <Hint c={result.error ? 'var(--mantine-color-error)' : 'dimmed'} pl="2.1rem">
          {[
            result.duration_ms === null ? null : `${whole(Math.round(result.duration_ms))} ms`,
            result.locator_used,
            result.error,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Hint>
      )}
    </>
  )
}
