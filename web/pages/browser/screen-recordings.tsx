import { Badge, Button, Skeleton, Title } from '@mantine/core'
import { IconDownload, IconMovie, IconPlayerStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ScreenRecording } from '../../../runtime/browser/recordings/schema.ts'
import { usePages } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { useBlobUrl } from '../../parts/files/thumbnail.tsx'
import { Loaded } from '../../parts/list.tsx'
import { byteSize, duration } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { Tools } from './name-form.tsx'

const path = '/api/browser/screen-recordings'

/** Videos of the active tab and of replays. */
export function ScreenRecordings({ running }: { running: boolean }) {
  const recordings = usePages(path, {}).data?.pages[0]?.screen_recordings
  const active = recordings?.some(({ status }) => status === 'recording') ?? false
  return (
    <div style={{ borderTop: '1px solid var(--line)' }}>
      <ResourceList
        path={path}
        items="screen_recordings"
        title="Screen recordings"
        frame="none"
        empty="No screen recordings. A recording stops automatically after two minutes."
        row={(recording) => {
          const { recording_id: id, status, replay_id, created_at } = recording
          const source = replay_id ? 'Replay' : 'Tab'
          return {
            name: source,
            label: `Screen recording: ${source}`,
            size: 'sm',
            badges: status !== 'completed' && (
              <Badge size="xs" color={status === 'failed' ? 'red' : 'blue'}>
                {status}
              </Badge>
            ),
            children: (
              <Hint>
                <Time at={created_at} /> {factsOf(recording).map((fact) => `· ${fact} `)}
              </Hint>
            ),
            actions: status !== 'recording' && (
              <DeleteButton
                what="this screen recording"
                remove={(api) => api.delete(`${path}/{id}`, { params: { id } })}
              />
            ),
            verb: 'Play',
            details: status === 'completed' && (() => <Player recording={recording} />),
          }
        }}
      >
        <Tools>
          <Title order={3} size="h6" className="grow">
            Screen recordings
          </Title>
          <ActionButton
            icon={active ? IconPlayerStop : IconMovie}
            {...(active && { variant: 'filled', color: 'red.9' })}
            disabled={!running && !active}
            run={(api) => api.post('/api/browser/screen-recording', { body: { action: active ? 'stop' : 'start' } })}
          >
            {active ? 'Stop recording' : 'Record tab'}
          </ActionButton>
        </Tools>
      </ResourceList>
    </div>
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
      return (await api.open('GET', `${path}/{id}/content`, { params, signal })).blob()
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  const url = useBlobUrl(content.data)
  return (
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
  )
}
