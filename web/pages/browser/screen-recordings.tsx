import { Badge, Button, Group, Skeleton, Text, Title } from '@mantine/core'
import { IconDownload, IconMovie, IconPlayerStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ScreenRecording } from '../../../runtime/browser/recordings/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { useBlobUrl } from '../../parts/files/thumbnail.tsx'
import { List, Loaded } from '../../parts/list.tsx'
import { byteSize, duration } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Tools } from './tools.tsx'

/** Videos of the active tab and of replays. */
export function ScreenRecordings({ running }: { running: boolean }) {
  const query = useEndpoint('/api/browser/screen-recordings')
  const active = query.data?.screen_recordings.some(({ status }) => status === 'recording') ?? false
  const record = useChange(
    (api, action: 'start' | 'stop') => api.post('/api/browser/screen-recording', { body: { action } }),
    { stale: ['/api/browser/screen-recordings'] },
  )
  const Icon = active ? IconPlayerStop : IconMovie
  return (
    <section aria-label="Screen recordings" style={{ borderTop: '1px solid var(--line)' }}>
      <Tools>
        <Title order={3} size="h6" className="grow">
          Screen recordings
        </Title>
        <Button
          size="xs"
          variant={active ? 'filled' : 'default'}
          color={active ? 'red.9' : undefined}
          disabled={!running && !active}
          loading={record.isPending}
          leftSection={<Icon size={15} />}
          onClick={() => record.mutate(active ? 'stop' : 'start')}
        >
          {active ? 'Stop recording' : 'Record tab'}
        </Button>
      </Tools>
      <List
        query={query}
        what="Screen recordings"
        items="screen_recordings"
        empty="No screen recordings. A recording stops automatically after two minutes."
      >
        {(one) => <Row key={one.recording_id} recording={one} />}
      </List>
    </section>
  )
}

function Row({ recording }: { recording: ScreenRecording }) {
  const { recording_id, status, replay_id, created_at } = recording
  const [shown, setShown] = useState(false)
  const remove = useChange(
    (api) => api.delete('/api/browser/screen-recordings/{id}', { params: { id: recording_id } }),
    {
      stale: ['/api/browser/screen-recordings'],
    },
  )
  const source = replay_id ? 'Replay' : 'Tab'
  return (
    <article className="row" aria-label={`Screen recording: ${source}`} style={{ flexWrap: 'wrap' }}>
      <div className="grow">
        <Group gap={6}>
          <Text size="sm">{source}</Text>
          {status !== 'completed' && (
            <Badge size="xs" color={status === 'failed' ? 'red' : 'blue'}>
              {status}
            </Badge>
          )}
        </Group>
        <Hint>
          <Time at={created_at} /> {factsOf(recording).map((fact) => `· ${fact} `)}
        </Hint>
      </div>
      {status === 'completed' && (
        <Button size="compact-xs" variant="default" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Play'}
        </Button>
      )}
      {status !== 'recording' && <DeleteButton what="this screen recording" remove={remove} />}
      {shown && <Player recording={recording} />}
    </article>
  )
}

const factsOf = ({ duration_seconds, size_bytes, format, error }: ScreenRecording) =>
  [
    duration_seconds === null ? null : duration(duration_seconds),
    size_bytes === null ? null : byteSize(size_bytes),
    format,
    error,
  ].filter(Boolean)

/** A video element cannot send the session token, so the video is loaded first. */
function Player({ recording: { recording_id, format } }: { recording: ScreenRecording }) {
  const api = useApi()
  const content = useQuery({
    queryKey: ['screen-recording', recording_id],
    queryFn: async ({ signal }) => {
      const params = { id: recording_id }
      return (await api.open('GET', '/api/browser/screen-recordings/{id}/content', { params, signal })).blob()
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  const url = useBlobUrl(content.data)
  return (
    <div className="wide">
      <Loaded query={content} what="The video" skeleton={<Skeleton height={180} />}>
        {(video) => (
          <>
            {/* biome-ignore lint/a11y/useMediaCaption: it has no sound */}
            <video style={{ width: '100%' }} src={url ?? undefined} controls aria-label="Screen recording" />
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconDownload size={14} />}
              onClick={() => saveFile(`screen-recording.${format ?? 'webm'}`, video)}
            >
              Save video
            </Button>
          </>
        )}
      </Loaded>
    </div>
  )
}
