import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react'
import { type CSSProperties, useMemo } from 'react'
import { Link } from 'wouter'
import classes from './graph.module.css'
import type { Status } from './status.tsx'

interface GraphNode {
  id: string
  name: string
  status?: Status | undefined
  /** Opened by a click. */
  href?: string
}

export interface GraphEdge {
  from: string
  to: string
  label?: string
  color?: Status['color']
  dashed?: boolean
}

interface GraphProps {
  /** Name for screen readers. */
  label: string
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  tall?: boolean
  /** Called when a connection is drawn; without it the graph is read-only. */
  connect?: (from: string, to: string) => void
}

const nodeTypes = { node: NodeView }

const strokeOf = (color: Status['color']) => `var(--mantine-color-${color}-6)`

/** A directed graph, drawn from left to right. */
export function Graph({ label, nodes, edges, tall, connect }: GraphProps) {
  const scheme = useComputedColorScheme('light')
  const shown = useMemo(() => nodesOf(nodes, edges), [nodes, edges])
  const lines = useMemo(() => edges.map(lineOf), [edges])
  return (
    <section className={`${classes.graph} ${tall ? classes.tall : ''}`} aria-label={label}>
      <ReactFlow
        nodes={shown}
        edges={lines}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={{ padding: 0.2, maxZoom: 1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={connect !== undefined}
        elementsSelectable={false}
        deleteKeyCode={null}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
        onConnect={({ source, target }) => connect?.(source, target)}
      >
        <Background gap={18} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  )
}

type NodeData = Omit<GraphNode, 'id'> & Record<string, unknown>

/** Connections enter at the left and leave at the right. */
function NodeView({ data: { name, status, href }, isConnectable }: NodeProps<Node<NodeData>>) {
  const handle = { isConnectable, className: classes.handle }
  const style = { '--mark': strokeOf(status?.color ?? 'gray') } as CSSProperties
  const content = (
    <>
      <div className={`truncate ${classes.name}`}>{name}</div>
      {status && <div className={classes.state}>{status.label}</div>}
    </>
  )
  return (
    <>
      <Handle type="target" position={Position.Left} {...handle} />
      {href ? (
        <Link href={href} className={`nopan ${classes.node}`} style={style} title={name}>
          {content}
        </Link>
      ) : (
        <div className={classes.node} style={style}>
          {content}
        </div>
      )}
      <Handle type="source" position={Position.Right} {...handle} />
    </>
  )
}

function nodesOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Node<NodeData>[] {
  const positions = layout(
    nodes.map(({ id }) => id),
    edges,
  )
  return nodes.map(({ id, ...data }) => ({
    id,
    type: 'node',
    position: positions.get(id) ?? { x: 0, y: 0 },
    data,
  }))
}

function lineOf({ from, to, label, color = 'gray', dashed }: GraphEdge): Edge {
  const stroke = strokeOf(color)
  return {
    id: `${from}:${to}:${label}`,
    source: from,
    target: to,
    ...(label && { label }),
    style: { stroke, strokeWidth: 2, ...(dashed && { strokeDasharray: '6 4' }) },
    markerEnd: { type: MarkerType.ArrowClosed, color: stroke },
  }
}

const columnWidth = 300
const rowHeight = 100

/** Each node to the right of all that lead to it; nodes of one rank below each other. */
function layout(nodes: readonly string[], edges: readonly GraphEdge[]): Map<string, { x: number; y: number }> {
  const ranks = new Map(nodes.map((node) => [node, 0]))
  // A path has at most as many steps as there are nodes, so this ends even if the edges form a cycle.
  for (let round = 0, moved = true; moved && round < nodes.length; round += 1) {
    moved = false
    for (const { from, to } of edges) {
      const next = Math.min((ranks.get(from) ?? 0) + 1, nodes.length)
      if (!ranks.has(to) || next <= (ranks.get(to) ?? 0)) continue
      ranks.set(to, next)
      moved = true
    }
  }
  const rows = new Map<number, number>()
  return new Map(
    nodes.map((node) => {
      const rank = ranks.get(node) ?? 0
      const row = rows.get(rank) ?? 0
      rows.set(rank, row + 1)
      return [node, { x: rank * columnWidth, y: row * rowHeight }]
    }),
  )
}
