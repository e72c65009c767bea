import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { AgentSelect } from '../agent-select.tsx'
import { JobState } from './job-state.tsx'
import { Undo } from './undo.tsx'
import { useJob } from './use-job.ts'

/** Reads people, places, things and facts out of the memories. */
export function Consolidation() {
  const { query, start, running } = useJob('consolidate')
  const [agent, setAgent] = useState('')
  const [wipe, setWipe] = useState(false)
  const whose = agent ? { agent_id: agent } : {}
  const busy = running || start.isPending
  return (
    <Panel title="Consolidate">
      <Stack px="md" pb="md" gap="sm">
        <Text size="sm" c="dimmed">
          Reads who and what the memories speak of and the facts between them, with a model where one is set
          up: five memories to a call.
        </Text>
        <Group align="flex-end" justify="space-between">
          <AgentSelect value={agent} change={setAgent} />
          <Group gap="xs">
            <Button
              variant="default"
              disabled={busy}
              onClick={() => start.mutate({ path: '/api/memory/backfill-entities', body: whose })}
            >
              Find names only
            </Button>
            <Button
              disabled={running}
              loading={start.isPending}
              onClick={() =>
                start.mutate({ path: '/api/memory/consolidate/conversations', body: { ...whose, wipe } })
              }
            >
              Consolidate
            </Button>
          </Group>
        </Group>
        <Checkbox
          label="Make the graph anew"
          description="Reads everything again. The graph that it replaces is kept and can be brought back"
          checked={wipe}
          onChange={(event) => setWipe(event.currentTarget.checked)}
        />
        <Loaded query={query} what="The last run" skeleton={<SkeletonRows count={1} />}>
          {({ job }) => job && <JobState job={job} />}
        </Loaded>
        <Undo disabled={busy} />
      </Stack>
    </Panel>
  )
}
