import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type Edge,
  type EdgeChange,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import {
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStable } from '../../parts/use-stable.ts'
import { type Direction, type Flow, type Link, neighbour, type Position } from './editor-state.ts'
import { type NodeData, NodeView } from './node-view.tsx'
import classes from './workflows.module.css'

/** What a person does on the canvas; without it the flow is only shown. */
export interface CanvasEvents {
  select(ids: readonly string[]): void
  connect(link: Link): void
  askConnect(id: string): void
  move(positions: ReadonlyMap<string, Position>): void
  shift(by: Position): void
  remove(): void
  /** A node type was dropped. */
  drop(type: string, at: Position): void
}

interface CanvasProps {
  flow: Flow
  dataOf(id: string): NodeData
  selected: readonly string[]
  events?: CanvasEvents
  open?(id: string): void
  /** The node whose form is open, which makes the canvas narrower. */
  opened?: string | null
  children?: ReactNode
}

/** The type of data that a dragged entry of the palette carries. */
export const dragType = 'application/x-hearthd-node'

export const Canvas = (props: CanvasProps) => (
  <ReactFlowProvider>
    <FlowCanvas {...props} />
  </ReactFlowProvider>
)

const nodeTypes = { node: NodeView }

const mapSize = { width: 130, height: 90 }

export const fitting = { padding: 0.2, maxZoom: 1 }

function FlowCanvas({ flow, dataOf, selected, events, open, opened, children }: CanvasProps) {
  const scheme = useComputedColorScheme('light')
  const { screenToFlowPosition, fitView } = useReactFlow()
  const section = useRef<HTMLElement>(null)
  const nodes = useShownNodes(flow, dataOf, selected)
  const edges = useLines(flow, dataOf, selected)
  const keys = useCanvasKeys(section, { flow, selected, events, open, opened, fitView })

  const changeSelection = (changes: readonly (NodeChange<Node<NodeData>> | EdgeChange)[]) => {
    const marks = changes.filter((change) => change.type === 'select')
    if (marks.length === 0) return
    const next = new Set(selected)
    for (const { id, selected: chosen } of marks) chosen ? next.add(id) : next.delete(id)
    events?.select([...next])
  }
  const drop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(dragType)
    if (!type) return
    event.preventDefault()
    events?.drop(type, screenToFlowPosition({ x: event.clientX, y: event.clientY }))
  }
  const changeNodes = useStable((changes: NodeChange<Node<NodeData>>[]) => {
    nodes.change(changes)
    changeSelection(changes)
  })
  const changeEdges = useStable(changeSelection)
  const click = useStable(({ target }: MouseEvent, { id }: Node) => (target as Element).closest('button') ?? open?.(id))
  const dragged = useStable((_: unknown, _node: Node, moved: Node[]) =>
    events?.move(new Map(moved.map(({ id, position }) => [id, position]))),
  )
  const connect = useStable(({ source, sourceHandle, target }: Connection) =>
    events?.connect({ source, source_output: sourceHandle ?? 'main', target }),
  )
  return (
    <section ref={section} className={classes.canvas} aria-label="Canvas" {...keys}>
      <ReactFlow
        nodes={nodes.shown}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={fitting}
        minZoom={0.1}
        nodesDraggable={events !== undefined}
        nodesConnectable={events !== undefined}
        elementsSelectable={events !== undefined}
        edgesFocusable={events !== undefined}
        deleteKeyCode={null}
        connectionRadius={36}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={ariaLabels}
        onNodesChange={changeNodes}
        onEdgesChange={changeEdges}
        onNodeClick={click}
        onNodeDragStop={dragged}
        onConnect={connect}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      >
        <Background gap={18} />
        <Controls showInteractive={false} />
        <MiniMap pannable zoomable style={mapSize} nodeColor="var(--mantine-color-gray-5)" />
        {children}
      </ReactFlow>
    </section>
  )
}

const ariaLabels = {
  'node.a11yDescription.default':
    'Arrows go to the next node, Shift and arrows move it, Enter opens it, C connects it.',
  'node.a11yDescription.keyboardDisabled': 'Arrows go to the next node, Enter opens it.',
  'edge.a11yDescription.default': 'Delete removes the connection.',
  'controls.ariaLabel': 'Zoom',
  'minimap.ariaLabel': 'Minimap',
}

/** The nodes as React Flow draws them: measured sizes and positions while dragging stay in here. */
function useShownNodes(flow: Flow, dataOf: (id: string) => NodeData, selected: readonly string[]) {
  const [nodesOnCanvas, setShown] = useState<Node<NodeData>[]>([])
  useEffect(() => {
    setShown((last) => {
      const byId = new Map(last.map((node) => [node.id, node]))
      const next = flow.nodes.map(({ id, position, name }) => {
        const data = dataOf(id)
        const before = byId.get(id)
        const isSame =
          before?.data === data && before.position === position && before.selected === selected.includes(id)
        if (isSame) return before
        const parts = [...new Set([name, data.kind]), data.status?.label, data.problem]
        return {
          ...before,
          id,
          type: 'node',
          position,
          data,
          selected: selected.includes(id),
          ariaLabel: parts.filter(Boolean).join(', '),
        }
      })
      return next.length === last.length && next.every((node, index) => node === last[index]) ? last : next
    })
  }, [flow, dataOf, selected])
  const change = (changes: NodeChange<Node<NodeData>>[]) =>
    setShown((last) =>
      applyNodeChanges(
        changes.filter(({ type }) => type !== 'select' && type !== 'remove'),
        last,
      ),
    )
  return { shown: nodesOnCanvas, change }
}

/** The edges as React Flow draws them; one that looks the same stays the same object. */
function useLines(flow: Flow, dataOf: (id: string) => NodeData, selected: readonly string[]): Edge[] {
  const last = useRef(new Map<string, { key: string; line: Edge }>())
  return useMemo(() => {
    const lines = flow.edges.map((edge) => {
      const line = lineOf(edge, dataOf, selected)
      const key = JSON.stringify(line)
      const before = last.current.get(edge.id)
      return before?.key === key ? before : { key, line }
    })
    last.current = new Map(lines.map((one) => [one.line.id, one]))
    return lines.map(({ line }) => line)
  }, [flow.edges, dataOf, selected])
}

function lineOf(
  { id, source, source_output, target }: Flow['edges'][number],
  dataOf: (id: string) => NodeData,
  selected: readonly string[],
): Edge {
  const name = (of: string) => dataOf(of).node.name
  const chosen = selected.includes(id)
  // An edge that leads back, as to a loop, goes around the nodes.
  const isBack = dataOf(target).node.position.x <= dataOf(source).node.position.x
  const stroke = chosen ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-gray-6)'
  const { outputs } = dataOf(source)
  const output = outputs.length > 1 ? outputs.find((one) => one.name === source_output)?.label : ''
  return {
    id,
    source,
    target,
    sourceHandle: source_output,
    type: isBack ? 'smoothstep' : 'default',
    selected: chosen,
    animated: dataOf(target).running,
    ariaLabel: `Connection from ${name(source)}${output ? `, ${output.toLowerCase()},` : ''} to ${name(target)}`,
    style: { stroke, strokeWidth: 2 },
    markerEnd: { type: MarkerType.ArrowClosed, color: stroke },
  }
}

const directions = ['left', 'up', 'right', 'down'] as const

const arrows: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

/** Pixels by which Shift and an arrow move a node. */
const stride = 20

const strides: Record<Direction, Position> = {
  left: { x: -stride, y: 0 },
  right: { x: stride, y: 0 },
  up: { x: 0, y: -stride },
  down: { x: 0, y: stride },
}

interface KeyOptions extends Pick<CanvasProps, 'flow' | 'selected' | 'events' | 'open' | 'opened'> {
  fitView: ReturnType<typeof useReactFlow>['fitView']
}

/** Keys on the canvas. They are handled before React Flow sees them, but not in buttons and menus. */
function useCanvasKeys(
  section: { current: HTMLElement | null },
  { flow, selected, events, open, opened, fitView }: KeyOptions,
) {
  const elementOf = (id: string | undefined) =>
    section.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id ?? '')}"]`)
  const focus = (id: string | undefined) => elementOf(id)?.focus()
  const only = selected.length === 1 ? selected[0] : undefined
  // A node that was added or reached is brought into view, and takes the focus if the canvas has it.
  const follow = useEffectEvent(() => {
    const inside = section.current?.getBoundingClientRect()
    const id = only ?? opened ?? ''
    const node = elementOf(id)?.getBoundingClientRect()
    const sources = flow.edges.filter(({ target }) => target === id).map(({ source }) => ({ id: source }))
    if (inside && node && !isInside(node, inside)) void fitView({ ...fitting, nodes: [{ id }, ...sources] })
    if (section.current?.contains(document.activeElement)) focus(only)
  })
  useEffect(() => {
    if (only === undefined && !opened) return
    const frame = requestAnimationFrame(() => requestAnimationFrame(follow))
    return () => cancelAnimationFrame(frame)
  }, [only, opened])

  const plain = (id: string | undefined, key: string, shift: boolean): (() => void) | undefined => {
    const direction = arrows[key]
    if (direction && id)
      return shift ? () => events?.shift(strides[direction]) : () => focus(neighbour(flow, id, direction))
    if (key === 'Enter' && id) return () => open?.(id)
    if (key === 'c' && id) return () => events?.askConnect(id)
    if (key === 'Delete' || key === 'Backspace')
      return () => {
        events?.remove()
        focus(id && remaining(id))
      }
    if (key === 'Escape') return () => events?.select([])
    return undefined
  }
  /** The nearest node that is not selected. */
  const remaining = (id: string) =>
    directions.map((direction) => neighbour(flow, id, direction)).find((other) => other && !selected.includes(other))
  return {
    onKeyDownCapture(event: KeyboardEvent) {
      const target = event.target as HTMLElement
      if (!target.matches('.react-flow__node, .react-flow__edge') || event.ctrlKey || event.metaKey) return
      const id = target.matches('.react-flow__node') ? target.dataset.id : undefined
      const act = plain(id, event.key, event.shiftKey)
      if (!act) return
      event.preventDefault()
      event.stopPropagation()
      act()
    },
    onFocus({ target }: FocusEvent) {
      const element = target as Element & { dataset?: DOMStringMap }
      const id = element.matches('.react-flow__node, .react-flow__edge') && element.dataset?.id
      if (id && element.matches(':focus-visible') && !selected.includes(id)) events?.select([id])
    },
  }
}

const isInside = (node: DOMRect, area: DOMRect): boolean =>
  node.left >= area.left && node.right <= area.right && node.top >= area.top && node.bottom <= area.bottom
