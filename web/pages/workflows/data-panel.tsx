import { Alert, Group, NativeSelect, Skeleton, Text } from '@mantine/core'
import { IconPencil, IconPin, IconPinnedOff, IconPlayerPlay } from '@tabler/icons-react'
import { memo, useState } from 'react'
import type { ExecutionDetails, WorkflowNode } from '../../../runtime/workflows/schema.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { JsonField } from '../../parts/schema/fields.tsx'
import { Hint } from '../../parts/typography.tsx'
import { isSameOf } from '../../parts/use-stable.ts'
import { ItemsView } from './data-view.tsx'
import { before, isTrigger, pinned } from './editor-state.ts'
import type { Kinds } from './kinds.ts'
import { beginning, RunChoice, usePinOutput } from './node-data.tsx'
import type { Targets } from './scope.tsx'
import type { DraftState } from './use-draft.ts'
import { type From, lastRun, type Output, useOutputs } from './use-outputs.ts'
import type { RunActions } from './use-run.ts'
import classes from './workflows.module.css'

interface DataPanelProps {
  node: WorkflowNode
  kinds: Kinds
  state: DraftState
  /** The execution whose data is shown. */
  execution: ExecutionDetails | null
  targets: Targets
  run: RunActions['run']
}

/** What the panel shows: not the parameters of its node, so that a key in the form does not draw it. */
function shown({ node, state: { draft, readonly }, run, ...rest }: DataPanelProps) {
  const others = draft.nodes.filter((one) => one.id !== node.id)
  return [
    node.id,
    node.type,
    node.name,
    draft.pin_data,
    draft.edges,
    readonly,
    run.isPending,
    ...Object.values(rest),
    ...others,
  ]
}

/** What arrives at a node, whose fields can be inserted into its form, and what it passes on. */
export const DataPanel = memo(function DataPanel(props: DataPanelProps) {
  const { node } = props
  return (
    <section className={classes.data} aria-label={`Data of ${node.name}`}>
      {!isTrigger(node.type) && <InputPane {...props} />}
      <OutputPane {...props} />
    </section>
  )
}, isSameOf(shown))

/** The nodes that lead to a node directly, the last one drawn first. */
export const sourcesOf = ({ edges }: Pick<DraftState['draft'], 'edges'>, node: string): From[] =>
  edges
    .filter(({ target }) => target === node)
    .map(({ source, source_output }) => ({ id: source, output: source_output }))
    .toReversed()

function InputPane({ node, kinds, state: { draft }, execution, targets }: DataPanelProps) {
  const direct = sourcesOf(draft, node.id)
  const earlier = [...before(draft, node.id)].filter((id) => !direct.some((from) => from.id === id))
  const all: From[] = [...direct, ...earlier.map((id) => ({ id }))]
  const [chosen, choose] = useState('')
  const from = all.find(({ id }) => id === chosen) ?? all[0]
  const [data] = useOutputs({ draft, kinds, execution }, from ? [from] : [])
  const named = draft.nodes.find(({ id }) => id === from?.id)
  const origin = direct.some(({ id }) => id === from?.id) || !named ? null : named
  return (
    <section className={classes.pane} aria-label="Input">
      <Group gap="xs" mb={6}>
        <Text size="sm" fw={600}>
          Input
        </Text>
        {all.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Node that the input is from"
            data={all.map(({ id }) => ({ value: id, label: draft.nodes.find((one) => one.id === id)?.name ?? id }))}
            value={from?.id ?? ''}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        )}
      </Group>
      {!from && <Hint>Connect a node to this one to see what arrives.</Hint>}
      {from && data === null && <Hint>Run {named?.name} to see what arrives here.</Hint>}
      {from && data === undefined && <Skeleton h={80} />}
      {data && <ItemsView label="Input" value={data.value} node={origin} insert={targets.insert} note={noteOf(data)} />}
    </section>
  )
}

const noteOf = ({ origin, bytes }: Output): string | undefined =>
  ({ pinned: 'Pinned', sample: 'Sample', 'last run': bytes ? beginning(bytes) : undefined })[origin]

function OutputPane({ node, kinds, state, execution, run }: DataPanelProps) {
  const { draft, edit, readonly } = state
  const [data] = useOutputs({ draft, kinds, execution }, [{ id: node.id }])
  const [editing, setEditing] = useState(false)
  const isPinned = data?.origin === 'pinned'
  const pin = (output: unknown, step?: string) => edit((flow) => pinned(flow, node.id, output), step)
  const pinWhole = usePinOutput(state)
  const last = lastRun(execution, node.id)
  const pinShown = () =>
    data?.bytes && last && execution ? pinWhole.mutate({ id: execution.id, seq: String(last.seq) }) : pin(data?.value)
  const known = sourcesOf(draft, node.id).some(({ id }) => id in draft.pin_data || lastRun(execution, id))
  const runNode = () =>
    run.mutate({ to_node: node.id, use_pin_data: true, ...(known && !isTrigger(node.type) && { from_node: node.id }) })
  const runs = execution?.node_runs.filter(({ node_id }) => node_id === node.id) ?? []
  const failed = runs.at(-1)?.error
  return (
    <section className={classes.pane} aria-label="Output">
      <Group gap="xs" mb={6}>
        <Text size="sm" fw={600} className="grow">
          Output
        </Text>
        {!isPinned && (
          <SmallButton icon={IconPlayerPlay} loading={run.isPending} onClick={runNode}>
            Run node
          </SmallButton>
        )}
        {!readonly && data && !isPinned && (
          <SmallButton icon={IconPin} loading={pinWhole.isPending} onClick={pinShown}>
            Pin
          </SmallButton>
        )}
        {!readonly && !data && (
          <SmallButton icon={IconPencil} onClick={() => pin({}, `${node.id} pin`)}>
            Pin data
          </SmallButton>
        )}
        {!readonly && isPinned && (
          <>
            <SmallButton icon={IconPencil} aria-pressed={editing} onClick={() => setEditing(!editing)}>
              Edit
            </SmallButton>
            <SmallButton icon={IconPinnedOff} onClick={() => pin(undefined)}>
              Unpin
            </SmallButton>
          </>
        )}
      </Group>
      {failed && !isPinned && (
        <Alert color="red" p="xs" mb="xs">
          {failed.message}
        </Alert>
      )}
      {isPinned && editing ? (
        <JsonField
          label="Pinned output"
          value={data.value}
          change={(output) => pin(output ?? null, `${node.id} pin`)}
        />
      ) : isPinned || failed || runs.length < 2 || runs.some(({ iteration }) => iteration === null) ? (
        <>
          {data && <ItemsView label="Output" value={data.value} first="Table" note={noteOf(data)} />}
          {data === null && !failed && <Hint>Run the node to see what it passes on, or pin data for it.</Hint>}
        </>
      ) : (
        execution && <RunChoice runs={runs} execution={execution.id} />
      )}
    </section>
  )
}
