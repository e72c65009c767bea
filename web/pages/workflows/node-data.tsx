import { Alert, Group, NativeSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ExecutionDetails, NodeRun } from '../../../runtime/workflows/schema.ts'
import { Hint } from '../../parts/hint.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { runLabels } from './labels.ts'

/** The input and output of a node in an execution; a node in a loop has several. */
export function NodeData({ node, execution }: { node: string; execution: ExecutionDetails | null }) {
  const runs = execution?.node_runs.filter(({ node_id }) => node_id === node) ?? []
  const [chosen, choose] = useState<number | null>(null)
  const run = runs.find(({ seq }) => seq === chosen) ?? runs.at(-1)
  if (!run) return <Hint>{execution ? 'The node did not run.' : 'Run the workflow to see data.'}</Hint>
  return (
    <Stack gap="sm">
      {runs.length > 1 && (
        <NativeSelect
          label="Run of the node"
          data={runs.map((one, index) => ({ value: String(one.seq), label: runName(one, index) }))}
          value={String(run.seq)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        />
      )}
      <Group gap="xs">
        <StatusBadge {...runLabels[run.status]} />
        <Hint>
          <Time at={run.started_at} />
          {run.attempt > 1 && `, attempt ${run.attempt}`}
          {run.pinned && ', pinned'}
        </Hint>
      </Group>
      {run.error && (
        <Alert color="red" title="The node failed">
          {run.error.message}
        </Alert>
      )}
      <JsonView label="Input" value={run.input} />
      {run.status === 'succeeded' && <JsonView label="Output" value={run.output} />}
    </Stack>
  )
}

const runName = ({ iteration, status }: NodeRun, index: number) =>
  `${iteration === null ? `Run ${index + 1}` : `Item ${iteration + 1}`}: ${runLabels[status].label.toLowerCase()}`
