import { Flex, Group, Text } from '@mantine/core'
import { shallowEqual } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowRight,
  IconBan,
  IconCopy,
  IconPin,
  IconPinnedOff,
  IconPlayerPlay,
  IconSettings,
  IconSitemap,
  IconTrash,
} from '@tabler/icons-react'
import { Panel, useReactFlow } from '@xyflow/react'
import { memo, useCallback, useMemo, useRef, useState } from 'react'
import type { ExecutionDetails, Issue, NodeTypeInfo, WorkflowNode } from '../../../runtime/workflows/schema.ts'
import { type Action, ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { counted } from '../../parts/numbers.ts'
import { isSameOf, useStable } from '../../parts/use-stable.ts'
import { Canvas, type CanvasEvents, fitting } from './canvas.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { DataPanel } from './data-panel.tsx'
import { type EditorKeys, useEditorKeys } from './editor-keys.ts'
import {
  connected,
  copyOf,
  moved,
  newNode,
  nextPosition,
  type Position,
  pasted,
  pinned,
  shifted,
  withChangedNode,
  withNode,
  without,
} from './editor-state.ts'
import { Inspector } from './inspector.tsx'
import { type Kinds, outputsOf } from './kinds.ts'
import { issueText, problemText, statusOf } from './labels.ts'
import { usePinOutput } from './node-data.tsx'
import { NodeActions, type NodeData } from './node-view.tsx'
import { Palette } from './palette.tsx'
import { Targets } from './scope.tsx'
import type { DraftState } from './use-draft.ts'
import type { RunActions } from './use-run.ts'

interface EditorProps {
  /** Its id. */
  workflow: string
  state: DraftState
  kinds: Kinds
  /** The execution whose states are shown. */
  execution: ExecutionDetails | null
  /** The execution whose data is shown: this one, or else the last. */
  data: ExecutionDetails | null
  issues: readonly Issue[]
  run: RunActions['run']
}

/** The canvas with the palette at the left, the form of the open node at the right, and its data below the canvas. */
export function Editor({ workflow, state, kinds, execution, data, issues, run }: EditorProps) {
  const { draft, edit } = state
  const [selected, select] = useState<readonly string[]>([])
  const [opened, open] = useState<string | null>(null)
  const [connecting, setConnecting] = useState<string | null>(null)
  const dataOf = useNodeData(draft, kinds, execution, issues)
  const [targets] = useState(() => new Targets())
  const events = useCanvasEvents({ state, kinds, selected, select, setConnecting, open })
  useEditorKeys(events)
  const pinOutput = usePinOutput(state)
  const node = draft.nodes.find(({ id }) => id === opened)
  const source = draft.nodes.find(({ id }) => id === connecting)
  const add = (kind: NodeTypeInfo) => events.add(kind, null)
  const actions = (of: WorkflowNode): (Action | 'divider' | false)[] => {
    const lastRun = execution?.node_runs.findLast(({ node_id, status }) => node_id === of.id && status === 'succeeded')
    const isPinned = of.id in draft.pin_data
    const first: (Action | false)[] = [
      { label: 'Open', icon: IconSettings, onClick: () => open(of.id) },
      execution !== null && {
        label: 'Run from here',
        icon: IconPlayerPlay,
        onClick: () => run.mutate({ from_node: of.id }),
      },
    ]
    if (state.readonly) return first
    return [
      ...first,
      {
        label: 'Connect to…',
        icon: IconArrowRight,
        onClick: () => setConnecting(of.id),
      },
      (isPinned || lastRun !== undefined) && {
        label: isPinned ? 'Unpin output' : 'Pin output',
        icon: isPinned ? IconPinnedOff : IconPin,
        onClick: () => {
          if (isPinned) edit((last) => pinned(last, of.id, undefined))
          else if (execution && lastRun) pinOutput.mutate({ id: execution.id, seq: String(lastRun.seq) })
        },
      },
      {
        label: of.disabled ? 'Enable' : 'Disable',
        icon: IconBan,
        onClick: () => edit((last) => withChangedNode(last, of.id, { disabled: !of.disabled })),
      },
      { label: 'Duplicate', icon: IconCopy, onClick: () => events.duplicateOf([of.id]) },
      'divider',
      {
        label: 'Delete',
        color: 'red',
        icon: IconTrash,
        onClick: () => events.removeOf([of.id]),
      },
    ]
  }
  const stableActions = useStable(actions)
  const stableAdd = useStable(add)
  const offered = useMemo(() => [...kinds.values()].filter(({ type }) => type !== 'placeholder'), [kinds])
  return (
    <Flex flex={1} mih={0}>
      <Flex direction="column" flex={1} miw={0}>
        <Flex flex={1} mih={0}>
          {!state.readonly && <Palette kinds={offered} add={stableAdd} />}
          <NodeActions value={stableActions}>
            <Canvas
              flow={draft}
              dataOf={dataOf}
              selected={selected}
              {...(!state.readonly && { events })}
              open={open}
              opened={opened}
            >
              {!state.readonly && (
                <Panel position="top-left">
                  <CanvasTools state={state} />
                </Panel>
              )}
              {issues.length > 0 && (
                <Panel position="top-right">
                  <Problems issues={issues} open={(id) => events.reveal(id)} />
                </Panel>
              )}
              {draft.nodes.length === 0 && !state.readonly && (
                <Panel position="top-center">
                  <Text c="dimmed" size="sm" mt="xl">
                    Add a trigger from the list at the left, then the nodes that follow it.
                  </Text>
                </Panel>
              )}
            </Canvas>
          </NodeActions>
        </Flex>
        {node && node.type !== 'note' && (
          <DataPanel
            key={node.id}
            node={node}
            kinds={kinds}
            state={state}
            execution={data}
            targets={targets}
            run={run}
          />
        )}
      </Flex>
      {node && (
        <Inspector
          key={node.id}
          workflow={workflow}
          node={node}
          kinds={kinds}
          state={state}
          execution={data}
          targets={targets}
          issues={issues.filter(({ node_id }) => node_id === node.id)}
          close={() => open(null)}
        />
      )}
      {source && (
        <ConnectDialog
          flow={draft}
          source={source.id}
          outputs={outputsOf(source, kinds)}
          connect={events.connect}
          close={() => setConnecting(null)}
        />
      )}
    </Flex>
  )
}

interface ProblemsProps {
  issues: readonly Issue[]
  open(node: string): void
}

/** What is wrong with the workflow; each leads to its node. */
const Problems = memo(
  ({ issues, open }: ProblemsProps) => (
    <ActionMenu
      width={380}
      actions={issues.map((issue) => ({
        label: problemText(issue),
        onClick: () => issue.node_id !== null && open(issue.node_id),
      }))}
    >
      <SmallButton
        icon={IconAlertTriangle}
        c={issues.some(({ severity }) => severity === 'error') ? 'var(--mantine-color-error)' : undefined}
      >
        {counted(issues.length, 'problem', 'problems')}
      </SmallButton>
    </ActionMenu>
  ),
  isSameOf(({ issues }) => issues),
)

const CanvasTools = memo(
  function CanvasTools({ state }: { state: DraftState }) {
    const { fitView } = useReactFlow()
    const arrange = async () => {
      const { arranged } = await import('./layout.ts')
      state.edit((draft) => moved(draft, arranged(draft)))
      // The new positions are drawn in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(() => void fitView(fitting)))
    }
    return (
      <Group gap={2} p={2} className="card">
        <IconButton label="Undo" icon={IconArrowBackUp} disabled={!state.canUndo} onClick={state.undo} />
        <IconButton label="Redo" icon={IconArrowForwardUp} disabled={!state.canRedo} onClick={state.redo} />
        <IconButton
          label="Arrange nodes"
          icon={IconSitemap}
          disabled={state.draft.nodes.length < 2}
          onClick={arrange}
        />
      </Group>
    )
  },
  isSameOf(({ state: { canUndo, canRedo, draft } }) => [canUndo, canRedo, draft.nodes.length < 2]),
)

/** What the canvas shows of each node, by id. */
export function useNodeData(
  { nodes, pin_data }: DraftState['draft'],
  kinds: Kinds,
  execution: ExecutionDetails | null,
  issues: readonly Issue[],
) {
  // Of a node that has not changed it stays the same object, so that a key in a form draws one node.
  const last = useRef<ReadonlyMap<string, NodeData>>(new Map())
  const data = useMemo(() => {
    const runs = new Map(execution?.node_runs.map((run) => [run.node_id, run]))
    const next = new Map(
      nodes.map((node): [string, NodeData] => {
        const run = runs.get(node.id)
        const own = issues.filter(({ node_id }) => node_id === node.id)
        const issue = own.find(({ severity }) => severity === 'error') ?? own[0]
        const before = last.current.get(node.id)
        const outputs = before?.node === node ? before.outputs : outputsOf(node, kinds)
        const fresh = {
          node: before && isShownAs(before.node, node) ? before.node : node,
          kind: kinds.get(node.type)?.title ?? node.type,
          outputs: before && JSON.stringify(before.outputs) === JSON.stringify(outputs) ? before.outputs : outputs,
          status: statusOf(run),
          running: run?.status === 'running',
          pinned: node.id in pin_data,
          problem: run?.error?.message ?? (issue && issueText(issue.message)),
          severity: run?.error ? 'error' : issue?.severity,
        }
        return [node.id, before && shallowEqual(before, fresh) ? before : fresh]
      }),
    )
    if (shallowEqual([...last.current.values()], [...next.values()])) return last.current
    last.current = next
    return next
  }, [nodes, pin_data, kinds, execution, issues])
  return useCallback((id: string) => data.get(id) as NodeData, [data])
}

/** Of the parameters, the canvas shows the text of a note alone. */
function isShownAs(before: WorkflowNode, { params, ...node }: WorkflowNode): boolean {
  return shallowEqual(before, { ...node, params: node.type === 'note' ? params : before.params })
}

interface EventOptions {
  state: DraftState
  kinds: Kinds
  selected: readonly string[]
  select(ids: readonly string[]): void
  setConnecting(id: string): void
  open(id: string): void
}

function useCanvasEvents({ state, kinds, selected, select, setConnecting, open }: EventOptions) {
  const { draft, edit } = state
  const add = (kind: NodeTypeInfo, at: Position | null) => {
    const after = selected.length === 1 ? draft.nodes.find(({ id }) => id === selected[0]) : undefined
    const made = newNode(draft, { type: kind.type, name: kind.title }, at ?? nextPosition(draft, after))
    const output = after && at === null && firstFree(after)
    edit((last) => {
      const next = withNode(last, made)
      return output ? connected(next, { source: after.id, source_output: output, target: made.id }) : next
    })
    select([made.id])
    open(made.id)
  }
  /** The first output of a node that leads nowhere yet. */
  const firstFree = (node: WorkflowNode) => {
    const outputs = outputsOf(node, kinds).map(({ name }) => name)
    const used = draft.edges.filter(({ source }) => source === node.id).map((edge) => edge.source_output)
    return outputs.find((output) => !used.includes(output)) ?? outputs[0]
  }
  const paste = (text: string) => {
    const result = pasted(draft, text)
    if (!result)
      return announce('The clipboard contains no nodes. To add a workflow from n8n, import it on the Workflows page')
    edit(() => result.flow)
    select(result.ids)
  }
  const removeOf = (ids: readonly string[]) => {
    edit((last) => without(last, ids))
    select([])
  }
  const duplicateOf = (ids: readonly string[]) => ids.length > 0 && paste(copyOf(draft, ids))
  const nodes = selected.filter((id) => draft.nodes.some((node) => node.id === id))
  return {
    select,
    selectAll: () => select(draft.nodes.map(({ id }) => id)),
    add,
    removeOf,
    duplicateOf,
    paste,
    connect: (link) => edit((last) => connected(last, link)),
    askConnect: setConnecting,
    reveal(id: string) {
      select([id])
      open(id)
    },
    move: (positions) => edit((last) => moved(last, positions)),
    shift: (by) => edit((last) => shifted(last, nodes, by), `shift ${nodes.join(' ')}`),
    remove: () => selected.length > 0 && removeOf(selected),
    undo: state.undo,
    redo: state.redo,
    duplicate: () => duplicateOf(nodes),
    copy: () => (nodes.length > 0 ? copyOf(draft, nodes) : null),
    drop(type, at) {
      const kind = kinds.get(type)
      if (kind) add(kind, at)
    },
  } satisfies CanvasEvents & EditorKeys & Record<string, unknown>
}
