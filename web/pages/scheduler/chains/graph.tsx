import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import { Background, Controls, type Edge, MarkerType, type Node, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import type { ChainEdge } from '../../../api/scheduler.ts'
import classes from './chains.module.css'
import { JobNode, type JobNodeData } from './job-node.tsx'
import { layout } from './layout.ts'
import { edgeLabels } from './states.ts'

interface GraphProps {
  jobs: readonly { id: string; name: string; status?: string | undefined }[]
  edges: readonly ChainEdge[]
  /** Drawn from one job to another; without it the graph is only shown. */
  connect?: (from: string, to: string) => void
}

const nodeTypes = { job: JobNode }

const strokes = {
  on_success: 'var(--mantine-color-teal-6)',
  on_failure: 'var(--mantine-color-red-6)',
  on_complete: 'var(--mantine-color-gray-6)',
} as const

export function Graph({ jobs, edges, connect }: GraphProps) {
  const scheme = useComputedColorScheme('light')
  const nodes = useMemo(() => nodesOf(jobs, edges), [jobs, edges])
  const lines = useMemo(() => edges.map(lineOf), [edges])
  return (
    <section className={classes.graph} aria-label="The chain as a graph">
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

function nodesOf(jobs: GraphProps['jobs'], edges: readonly ChainEdge[]): Node<JobNodeData>[] {
  const places = layout(
    jobs.map(({ id }) => id),
    edges,
  )
  return jobs.map(({ id, name, status }) => ({
    id,
    type: 'job',
    position: places.get(id) ?? { x: 0, y: 0 },
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
