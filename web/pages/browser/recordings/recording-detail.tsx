import { Anchor, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { recordingQuery, replaysQuery } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { RecordingName } from './recording-name.tsx'
import { ReplayForm } from './replay-form.tsx'
import { ReplayStanding } from './replay-standing.tsx'
import { Steps } from './steps.tsx'

/** One recording: its steps, how it is done again, and how that went. */
export function RecordingDetail({ id }: { id: string }) {
  const api = useApi()
  const recording = useQuery(recordingQuery(api, id))
  const replays = useQuery(replaysQuery(api, id)).data?.replays
  const [latest] = replays ?? []
  return (
    <>
      <Anchor
        component={Link}
        href="/browser/recordings"
        size="sm"
        px="sm"
        pt="sm"
        display="inline-flex"
        style={{ gap: 4, alignItems: 'center' }}
      >
        <IconArrowLeft size={16} aria-hidden />
        All recordings
      </Anchor>
      <Loaded query={recording} what="The recording">
        {(one) => (
          <>
            <RecordingName key={one.name} recording={one} />
            <Text size="xs" c="dimmed" px="sm">
              {counted(one.action_count, 'act', 'acts')}
              {one.start_url && ` · from ${one.start_url}`}
            </Text>
            <ReplayForm recording={one} runs={latest?.status === 'running' || latest?.status === 'queued'} />
            {latest && <ReplayStanding replay={latest} />}
            <Steps steps={one.steps} replay={latest} />
            {replays && replays.length > 1 && (
              <Text size="xs" c="dimmed" p="sm">
                Replayed {counted(replays.length, 'time', 'times')},{' '}
                {replays.filter(({ status }) => status === 'completed').length} to the end.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
