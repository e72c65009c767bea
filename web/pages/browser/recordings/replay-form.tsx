import { Button, Group, PasswordInput, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { IconMovie, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RecordingDetail } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'

const speeds = [
  { value: '1', label: 'As recorded' },
  { value: '4', label: '4 × faster' },
  { value: '0', label: 'No pauses' },
]

interface ReplayFormProps {
  recording: RecordingDetail
  /** A replay of it is under way. */
  runs: boolean
}

/** Passwords were not written down: each is asked for before a replay. */
export function ReplayForm({ recording: { recording_id, variables, status, steps }, runs }: ReplayFormProps) {
  const api = useApi()
  const queries = useQueryClient()
  const [speed, setSpeed] = useState('1')
  const [goOn, setGoOn] = useState(false)
  const [values, setValues] = useState<Record<string, string>>({})
  const replay = useMutation({
    mutationFn: (film: boolean) => {
      const body = { speed: Number(speed), variables: values, stop_on_error: !goOn, wait_seconds: 0 }
      const path = film
        ? `/api/browser/screen-recording/from-recording/${recording_id}`
        : `/api/browser/recordings/${recording_id}/replay`
      return api.post(path, body)
    },
    meta: { shown: true },
    async onSuccess(_, film) {
      await queries.invalidateQueries({ queryKey: ['browser'] })
      if (film) announce('The film will be with the recordings')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  const errors = fieldErrors(replay.error)
  const waits = runs || replay.isPending || status === 'recording' || steps.length === 0
  return (
    <form
      aria-label="Replay"
      onSubmit={(event) => {
        event.preventDefault()
        replay.mutate(false)
      }}
    >
      <Stack gap="xs" p="sm">
        <SegmentedControl size="xs" aria-label="Speed" data={speeds} value={speed} onChange={setSpeed} />
        {variables.map((name) => (
          <PasswordInput
            key={name}
            size="xs"
            label={name}
            required
            autoComplete="off"
            value={values[name] ?? ''}
            error={errors[`variables.${name}`]}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        <Switch
          size="xs"
          label="Go on after a step that fails"
          checked={goOn}
          onChange={(event) => setGoOn(event.currentTarget.checked)}
        />
        <Group gap="xs">
          <Button type="submit" size="xs" leftSection={<IconPlayerPlay size={15} />} disabled={waits}>
            Replay
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconMovie size={15} />}
            disabled={waits}
            onClick={() => replay.mutate(true)}
          >
            Replay and film
          </Button>
        </Group>
        {steps.length === 0 && (
          <Text size="xs" c="dimmed">
            Nothing was done while it was recorded.
          </Text>
        )}
      </Stack>
    </form>
  )
}
