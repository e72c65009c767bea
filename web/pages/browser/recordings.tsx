import { Badge, Group, Text, UnstyledButton } from '@mantine/core'
import { IconPlayerRecord, IconPlayerStop } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import type { Recording } from '../../../runtime/browser/recordings/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { counted, duration } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { NameForm } from './name-form.tsx'
import { RecordingDetail } from './recording.tsx'
import { ScreenRecordings } from './screen-recordings.tsx'
import { Tools } from './tools.tsx'

/** Recorded actions, which can be replayed without a model. `/browser/recordings/<id>` is one recording. */
export function RecordingsPanel({ running, id }: { running: boolean; id: string | undefined }) {
  const query = useEndpoint('/api/browser/recordings', { query: { limit: 200 } })
  if (id) return <RecordingDetail key={id} id={id} />
  return (
    <Loaded query={query} what="Recordings">
      {({ recordings }) => {
        const current = recordings.find(({ status }) => status === 'recording')
        return (
          <>
            {current ? <StopRecording recording={current} /> : <StartRecording />}
            <div>
              {recordings.map((recording) => (
                <RecordingRow key={recording.recording_id} recording={recording} />
              ))}
            </div>
            {recordings.length === 0 && (
              <EmptyState icon={<IconPlayerRecord size={28} />} title="No recordings">
                Record what you or an agent does in the browser, and replay it later.
              </EmptyState>
            )}
            <ScreenRecordings running={running} />
          </>
        )
      }}
    </Loaded>
  )
}

const StartRecording = () => (
  <NameForm
    title="New recording"
    aria-label="Recording name"
    placeholder="Name, such as Order coffee"
    verb="Record"
    icon={IconPlayerRecord}
    save={(api, name) => api.post('/api/browser/recording/start', { body: { name } })}
    stale={['/api/browser/recordings']}
  />
)

function StopRecording({ recording: { name, action_count } }: { recording: Recording }) {
  const [, navigate] = useLocation()
  const stop = useChange((api) => api.post('/api/browser/recording/stop'), {
    stale: ['/api/browser/recordings'],
    done: ({ recording_id }) => navigate(`/browser/recordings/${recording_id}`),
  })
  return (
    <Tools>
      <Text size="sm" className="words">
        Recording “{name}” · {counted(action_count, 'action', 'actions')}
      </Text>
      <ActionButton icon={IconPlayerStop} variant="filled" color="red.9" run={stop}>
        Stop
      </ActionButton>
    </Tools>
  )
}

function RecordingRow({ recording }: { recording: Recording }) {
  const { recording_id, name, status, action_count, duration_seconds, started_at } = recording
  const remove = useChange(
    (api) => api.delete('/api/browser/recordings/{id}', { params: { id: recording_id } }),
    {
      stale: ['/api/browser/recordings'],
    },
  )
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Group gap={6}>
          <UnstyledButton component={Link} href={`/browser/recordings/${recording_id}`} fw={500} fz="sm">
            {name}
          </UnstyledButton>
          {status === 'recording' && (
            <Badge size="xs" color="red">
              recording
            </Badge>
          )}
        </Group>
        <Hint>
          {counted(action_count, 'action', 'actions')}
          {status === 'finished' && ` · ${duration(duration_seconds)}`} · <Time at={started_at} />
        </Hint>
      </div>
      {status === 'finished' && <DeleteButton what={name} remove={remove} />}
    </article>
  )
}
