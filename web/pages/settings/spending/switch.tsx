import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { killSwitchQuery, setKillSwitch } from '../../../api/monitoring.ts'
import { useApi } from '../../../app/services.tsx'
import { Dot } from '../../../parts/dot.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'

/** Stops every model call at once. It can be taken back, so it asks nothing. */
export function Switch() {
  const api = useApi()
  const queries = useQueryClient()
  const query = useQuery(killSwitchQuery(api))
  const turn = useMutation({
    mutationFn: (paused: boolean) => setKillSwitch(api, paused),
    onSuccess: (state) => queries.setQueryData(killSwitchQuery(api).queryKey, state),
  })
  return (
    <Panel title="Kill switch">
      <Loaded query={query} what="The kill switch" skeleton={<SkeletonRows count={2} />}>
        {({ paused, changed_at, changed_by }) => (
          <Stack gap="sm" px="md" pb="md" align="flex-start">
            <div>
              <Group gap="xs">
                <Dot color={paused ? 'red' : 'teal'} />
                <Text fw={600}>{paused ? 'All model calls are paused' : 'Model calls are allowed'}</Text>
              </Group>
              <Text size="xs" c="dimmed" component="div" mt={2}>
                {changed_at ? (
                  <>
                    {paused ? 'Paused' : 'Allowed again'} <Time at={changed_at} />
                    {changed_by && ` by ${changed_by}`}
                  </>
                ) : (
                  'Never used so far'
                )}
              </Text>
            </div>
            <Text size="sm">
              {paused
                ? 'Nothing is sent to any provider, whoever asks: chats, jobs, loops.'
                : 'Pausing stops every call at once, those under way too.'}
            </Text>
            <Button
              size="xs"
              color={paused ? undefined : 'red.9'}
              leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
              loading={turn.isPending}
              onClick={() => turn.mutate(!paused)}
            >
              {paused ? 'Let them go on' : 'Pause all model calls'}
            </Button>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
