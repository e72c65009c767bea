import { Button, Group, Text } from '@mantine/core'
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type EpisodeDetail, episodePath } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'

/** How it fared in prompts, and a person's own word on it. */
export function Usefulness({ episode: { id, feedback } }: { episode: EpisodeDetail }) {
  const api = useApi()
  const queries = useQueryClient()
  const tell = useMutation({
    mutationFn: (used: boolean) => api.post(`${episodePath(id)}/feedback`, { used }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['memory'] })
      announce('Noted')
    },
  })
  return (
    <Panel title="Of use">
      <div style={{ padding: '0 1rem 1rem' }}>
        <Text size="sm">
          Recalled {counted(feedback.recalled, 'time', 'times')}: used {feedback.used}, ignored{' '}
          {feedback.ignored}.
        </Text>
        <Text size="xs" c="dimmed" mb="sm">
          What was of use comes first the next time.
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconThumbUp size={14} />}
            disabled={tell.isPending}
            onClick={() => tell.mutate(true)}
          >
            Useful
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconThumbDown size={14} />}
            disabled={tell.isPending}
            onClick={() => tell.mutate(false)}
          >
            Not useful
          </Button>
        </Group>
      </div>
    </Panel>
  )
}
