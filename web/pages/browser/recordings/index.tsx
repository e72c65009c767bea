import { Badge, Button, Group, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconPlayerRecord, IconPlayerStop, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type Recording, recordingsQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted, duration } from '../../../parts/numbers.ts'
import { EmptyState } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import classes from '../browser.module.css'
import { DeleteButton } from '../delete-button.tsx'
import { Films } from './films.tsx'
import { RecordingDetail } from './recording-detail.tsx'

/** What was done once and can be done again without a model. `/browser/recordings/<id>` is one of them. */
export function RecordingsPanel({ running, id }: { running: boolean; id: string | undefined }) {
  const query = useQuery(recordingsQuery(useApi()))
  if (id) return <RecordingDetail key={id} id={id} />
  return (
    <Loaded query={query} what="The recordings">
      {({ recordings }) => (
        <>
          <Recorder current={recordings.find(({ status }) => status === 'recording')} />
          <div>
            {recordings.map((recording) => (
              <Row key={recording.recording_id} recording={recording} />
            ))}
          </div>
          {recordings.length === 0 && (
            <EmptyState icon={<IconPlayerRecord size={28} />} title="No recordings">
              Record what is done in the browser, by you or an agent, to do it again with a click.
            </EmptyState>
          )}
          <Films running={running} />
        </>
      )}
    </Loaded>
  )
}

function Recorder({ current }: { current: Recording | undefined }) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const fresh = () => queries.invalidateQueries({ queryKey: ['browser', 'recordings'] })
  const start = useMutation({
    mutationFn: () => api.post('/api/browser/recording/start', { name }),
    async onSuccess() {
      await fresh()
      setName('')
    },
  })
  const stop = useMutation({
    mutationFn: () => api.post<{ recording_id: string }>('/api/browser/recording/stop'),
    async onSuccess({ recording_id }) {
      await fresh()
      navigate(`/browser/recordings/${recording_id}`)
    },
  })
  if (current)
    return (
      <div className={classes.tools}>
        <Text size="sm" className="words">
          Recording “{current.name}” · {counted(current.action_count, 'act', 'acts')}
        </Text>
        <Button
          size="xs"
          color="red.9"
          leftSection={<IconPlayerStop size={15} />}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          Stop
        </Button>
      </div>
    )
  return (
    <form
      className={classes.tools}
      aria-label="New recording"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim()) start.mutate()
      }}
    >
      <TextInput
        className="grow"
        size="xs"
        aria-label="Name of the recording"
        placeholder="Name, such as Order coffee"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="xs"
        leftSection={<IconPlayerRecord size={15} />}
        disabled={!name.trim()}
        loading={start.isPending}
      >
        Record
      </Button>
    </form>
  )
}

function Row({ recording }: { recording: Recording }) {
  const { recording_id, name, status, action_count, duration_seconds, started_at } = recording
  const api = useApi()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.remove(`/api/browser/recordings/${recording_id}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['browser', 'recordings'] }),
  })
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Group gap={6}>
          <UnstyledButton component={Link} href={`/browser/recordings/${recording_id}`} fw={500} fz="sm">
            {name}
          </UnstyledButton>
          {status === 'recording' && (
            <Badge size="xs" color="red" variant="light">
              recording
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {counted(action_count, 'act', 'acts')}
          {status === 'finished' && ` · ${duration(duration_seconds)}`} · <Time at={started_at} />
        </Text>
      </div>
      {status === 'finished' && <DeleteButton what={name} icon={<IconTrash size={17} />} remove={remove} />}
    </article>
  )
}
