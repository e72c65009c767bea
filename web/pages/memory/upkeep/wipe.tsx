import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'

export function WipePanel() {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const wipe = useMutation({
    mutationFn: () => api.raw('DELETE', '/api/settings/memory/data').then((answer) => answer.json()),
    async onSuccess({ cleared }: { cleared: number }) {
      announce(`${counted(cleared, 'memory was', 'memories were')} deleted for good`)
      for (const key of ['memory', 'memory-graph', 'memory-map'])
        await queries.invalidateQueries({ queryKey: [key] })
    },
    onSettled: () => setAsked(false),
  })
  return (
    <Panel title="Forget everything">
      <Group px="md" pb="md" justify="space-between">
        <Text size="sm" c="dimmed" className="words">
          Every memory with its history, the map and the graph. This cannot be undone; export first what you
          may miss. Conversations stay.
        </Text>
        <Button variant="default" color="red" onClick={() => setAsked(true)}>
          Forget everything…
        </Button>
      </Group>
      <ConfirmByName
        name={asked ? 'WIPE' : null}
        what="memory"
        verb="Wipe"
        pending={wipe.isPending}
        confirm={() => wipe.mutate()}
        close={() => setAsked(false)}
      >
        All that is remembered goes away for good, from the file too.
      </ConfirmByName>
    </Panel>
  )
}
