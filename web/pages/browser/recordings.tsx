import { Badge, Text } from '@mantine/core'
import { IconPlayerRecord, IconPlayerStop } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { usePages } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { counted, duration } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { NameForm, Tools } from './name-form.tsx'
import { RecordingDetail } from './recording.tsx'
import { ScreenRecordings } from './screen-recordings.tsx'

const path = '/api/browser/recordings'

/** Recorded actions, which can be replayed without a model. `/browser/recordings/<id>` is one recording. */
export function RecordingsPanel({ running, id }: { running: boolean; id: string | undefined }) {
  if (id) return <RecordingDetail key={id} id={id} />
  return (
    <>
      <Recorder />
      <ResourceList
        path={path}
        items="recordings"
        title="Recordings"
        frame="none"
        icon={IconPlayerRecord}
        empty="Record what you or an agent does in the browser, and replay it later."
        row={({ recording_id, name, status, action_count, duration_seconds, started_at }) => ({
          size: 'sm',
          open: `/browser/recordings/${recording_id}`,
          badges: status === 'recording' && (
            <Badge size="xs" color="red">
              recording
            </Badge>
          ),
          children: (
            <Hint>
              {counted(action_count, 'action', 'actions')}
              {status === 'finished' && ` · ${duration(duration_seconds)}`} · <Time at={started_at} />
            </Hint>
          ),
          actions: status === 'finished' && (
            <DeleteButton what={name} remove={(api) => api.delete(`${path}/{id}`, { params: { id: recording_id } })} />
          ),
        })}
      />
      <ScreenRecordings running={running} />
    </>
  )
}

/** Starts a recording, or stops the current one. */
function Recorder() {
  const [, navigate] = useLocation()
  const recordings = usePages(path, {}).data?.pages[0]?.recordings
  const current = recordings?.find(({ status }) => status === 'recording')
  if (!recordings) return null
  if (!current)
    return (
      <NameForm
        title="New recording"
        aria-label="Recording name"
        placeholder="Name, such as Order coffee"
        verb="Record"
        icon={IconPlayerRecord}
        save={(api, name) => api.post('/api/browser/recording/start', { body: { name } })}
        stale={[path]}
      />
    )
  return (
    <Tools>
      <Text size="sm" className="words">
        Recording “{current.name}” · {counted(current.action_count, 'action', 'actions')}
      </Text>
      <ActionButton
        icon={IconPlayerStop}
        variant="filled"
        color="red.9"
        run={(api) => api.post('/api/browser/recording/stop')}
        done={({ recording_id }) => navigate(`/browser/recordings/${recording_id}`)}
      >
        Stop
      </ActionButton>
    </Tools>
  )
}
