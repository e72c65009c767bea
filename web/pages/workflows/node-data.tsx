import { Alert, Group, NativeSelect, Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ExecutionDetails, NodeRunSummary } from '../../../runtime/workflows/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { ErrorState } from '../../parts/list.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { pinned } from './editor-state.ts'
import { ItemFiles } from './item-files.tsx'
import { runLabels } from './labels.ts'
import type { DraftState } from './use-draft.ts'

/** The runs of a node in an execution; a node in a loop has several. */
export function NodeData({ node, execution }: { node: string; execution: ExecutionDetails | null }) {
  const runs = execution?.node_runs.filter(({ node_id }) => node_id === node) ?? []
  if (!execution || runs.length === 0)
    return <Hint>{execution ? 'The node did not run.' : 'Run the workflow to see data.'}</Hint>
  return <RunChoice runs={runs} execution={execution.id} />
}

/** One of several runs, with its input and output. */
export function RunChoice({ runs, execution }: { runs: readonly NodeRunSummary[]; execution: string }) {
  const [chosen, choose] = useState<number | null>(null)
  const run = runs.find(({ seq }) => seq === chosen) ?? runs.at(-1)
  if (!run) return null
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
      <RunData execution={execution} run={run} />
    </Stack>
  )
}

/** What is said of a value that is not shown whole. */
export const beginning = (bytes: number) => `The beginning of ${byteSize(bytes)}`

/** Input and output, loaded only when they are shown. */
function RunData({ execution, run }: { execution: string; run: NodeRunSummary }) {
  const { seq, status, input_size, output_size } = run
  const query = useEndpoint('/api/workflows/executions/{id}/node-runs/{seq}', {
    params: { id: execution, seq: String(seq) },
    query: { short: 'true' },
  })
  if (query.error) return <ErrorState error={query.error} what="The data" retry={query.refetch} />
  if (!query.data) return <Skeleton h={80} />
  return (
    <>
      <JsonView label="Input" value={query.data.input} />
      {query.data.shortened.includes('input') && <Hint>{beginning(input_size ?? 0)}</Hint>}
      {status === 'succeeded' && <JsonView label="Output" value={query.data.output} />}
      {query.data.shortened.includes('output') && <Hint>{beginning(output_size ?? 0)}</Hint>}
      <ItemFiles value={query.data.output} />
      {query.data.logs !== null && <JsonView label="Console" value={query.data.logs} />}
    </>
  )
}

/** Pins the whole output of a run to its node. */
export const usePinOutput = ({ edit }: Pick<DraftState, 'edit'>) =>
  useChange(
    (api, params: { id: string; seq: string }) => api.get('/api/workflows/executions/{id}/node-runs/{seq}', { params }),
    { done: ({ node_id, output }) => edit((flow) => pinned(flow, node_id, output ?? null)) },
  )

const runName = ({ iteration, status }: NodeRunSummary, index: number) =>
  `${iteration === null ? `Run ${index + 1}` : `Item ${iteration + 1}`}: ${runLabels[status].label.toLowerCase()}`
