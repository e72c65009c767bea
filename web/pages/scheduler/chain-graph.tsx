import type { Edge as ChainEdge } from '../../../runtime/scheduler/schema.ts'
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
import { useMemo } from 'react'
import classes from './chains.module.css'
import shared from './scheduler.module.css'
import { chainStatus, edgeLabels } from './status.tsx'

export interface GraphJob {
  id: string
  name: string
  /** In the last run of the chain. */
  status?: string | undefined
}

interface ChainGraphProps {
  jobs: readonly GraphJob[]
  edges: readonly ChainEdge[]
  /** Called when a connection is drawn; without it the graph is read-only. */
  connect?: (from: string, to: string) => void
}

const nodeTypes = { job: JobNode }

const strokes = {
  on_success: 'var(--mantine-color-teal-6)',
  on_failure: 'var(--mantine-color-red-6)',
  on_complete: 'var(--mantine-color-gray-6)',
} as const

export function ChainGraph({ jobs, edges, connect }: ChainGraphProps) {
  const scheme = useComputedColorScheme('light')
  const nodes = useMemo(() => nodesOf(jobs, edges), [jobs, edges])
  const lines = useMemo(() => edges.map(lineOf), [edges])
  return (
    <section className={classes.graph} aria-label="Chain graph">
      <ReactFlow
        nodes={nodes}
        edges={lines}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={{ padding: 0.2, maxZoom: 1 }}
        minZoom={0.3}
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

type JobNodeData = Pick<GraphJob, 'name' | 'status'> & Record<string, unknown>

/** Connections enter at the left and leave at the right. */
function JobNode({ data: { name, status }, isConnectable }: NodeProps<Node<JobNodeData>>) {
  const handle = { isConnectable, className: classes.handle }
  return (
    <div className={`${classes.node} ${shared.marked}`} data-status={status}>
      <Handle type="target" position={Position.Left} {...handle} />
      <div className={`truncate ${classes.name}`}>{name}</div>
      {status && <div className={classes.state}>{chainStatus(status).label}</div>}
      <Handle type="source" position={Position.Right} {...handle} />
    </div>
  )
}

function nodesOf(jobs: readonly GraphJob[], edges: readonly ChainEdge[]): Node<JobNodeData>[] {
  const positions = layout(
    jobs.map(({ id }) => id),
    edges,
  )
  return jobs.map(({ id, name, status }) => ({
    id,
    type: 'job',
    position: positions.get(id) ?? { x: 0, y: 0 },
    data: { name, status },
  }))
}

function lineOf({ from, to, type }: ChainEdge): Edge {
  const stroke = strokes[type]
  return {
    id: `${from}:${to}:${type}`,
    source: from,
    target: to,
    label: edgeLabels[type],
    style: { stroke, strokeWidth: 2, ...(type === 'on_failure' && { strokeDasharray: '6 4' }) },
    markerEnd: { type: MarkerType.ArrowClosed, color: stroke },
  }
}

const columnWidth = 300
const rowHeight = 100

/** Each job to the right of all that lead to it; jobs of one rank below each other. */
function layout(jobs: readonly string[], edges: readonly ChainEdge[]): Map<string, { x: number; y: number }> {
  const ranks = new Map(jobs.map((job) => [job, 0]))
  // A path has at most as many steps as there are jobs, so this ends even if the edges form a cycle.
  for (let round = 0; round < jobs.length; round += 1) {
    for (const { from, to } of edges) {
      const next = Math.min((ranks.get(from) ?? 0) + 1, jobs.length)
      if (ranks.has(to) && next > (ranks.get(to) ?? 0)) ranks.set(to, next)
    }
  }
  const rows = new Map<number, number>()
  return new Map(
    jobs.map((job) => {
      const rank = ranks.get(job) ?? 0
      const row = rows.get(rank) ?? 0
      rows.set(rank, row + 1)
      return [job, { x: rank * columnWidth, y: row * rowHeight }]
    }),
  )
}
