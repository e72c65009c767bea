import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { AgentSelect } from '../agent-select.tsx'
import { JobState } from './job-state.tsx'
import { useJob } from './use-job.ts'

/** Makes memories of what was said before there was a memory, and embeddings where there are none. */
export function Generation() {
  const { query, start, running } = useJob('generate')
  const [agent, setAgent] = useState('')
  return (
    <Panel title="Generate memories">
      <Stack px="md" pb="md" gap="sm">
        <Text size="sm" c="dimmed">
          Goes through all conversations, keeps what is worth it, and prepares each memory for searching by
          meaning. Nothing is kept twice.
        </Text>
        <Group align="flex-end" justify="space-between">
          <AgentSelect value={agent} change={setAgent} />
          <Button
            disabled={running}
            loading={start.isPending}
            onClick={() =>
              start.mutate({ path: '/api/memory/generate-episodes', body: agent ? { agent_id: agent } : {} })
            }
          >
            Generate
          </Button>
        </Group>
        <Loaded query={query} what="The last run" skeleton={<SkeletonRows count={1} />}>
          {({ job }) => job && <JobState job={job} />}
        </Loaded>
      </Stack>
    </Panel>
  )
}
