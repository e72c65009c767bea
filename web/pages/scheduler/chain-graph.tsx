import { useMemo } from 'react'
import type { Edge } from '../../../runtime/scheduler/schema.ts'
import { Graph, type GraphEdge } from '../../parts/graph.tsx'
import { chainStatus, edgeLabels } from './status.tsx'

export interface GraphJob {
  id: string
  name: string
  /** In the last run of the chain. */
  status?: string | undefined
}

interface ChainGraphProps {
  jobs: readonly GraphJob[]
  edges: readonly Edge[]
  connect?: (from: string, to: string) => void
}

const colors = { on_success: 'teal', on_failure: 'red', on_complete: 'gray' } as const

export function ChainGraph({ jobs, edges, ...rest }: ChainGraphProps) {
  const nodes = useMemo(
    () => jobs.map(({ status, ...job }) => ({ ...job, status: status ? chainStatus(status) : undefined })),
    [jobs],
  )
  const lines = useMemo(() => edges.map(lineOf), [edges])
  return <Graph label="Chain graph" nodes={nodes} edges={lines} {...rest} />
}

const lineOf = ({ from, to, type }: Edge): GraphEdge => ({
  from,
  to,
  label: edgeLabels[type],
  color: colors[type],
  dashed: type === 'on_failure',
})
