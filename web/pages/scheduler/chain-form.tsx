import { Alert, Group, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Edge as ChainEdge, EdgeType } from '../../../runtime/scheduler/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { ResourceForm } from '../../parts/resource-form.tsx'
import { ThingsField } from '../../parts/schema/fields.tsx'
import { Hint } from '../../parts/typography.tsx'
import { ChainGraph, type GraphJob } from './chain-graph.tsx'
import { edgeLabels } from './status.tsx'

/** `?copy=<chain>` starts with a copy of that chain. */
export function NewChain() {
  const [, navigate] = useLocation()
  const copy = new URLSearchParams(useSearch()).get('copy')
  const original = useOptional('/api/scheduler/chains/{id}', { params: { id: copy ?? 'none' } })
  if (copy && original.isPending) return null
  const start = original.data ? { ...original.data, name: `${original.data.name} (copy)` } : {}
  return (
    <ResourceForm
      key={copy}
      path="/api/scheduler/chains"
      stale={['/api/scheduler']}
      noun="chain"
      item={null}
      start={start}
      close={() => navigate('/scheduler/chains')}
      saved={({ id }) => navigate(`/scheduler/chains/${id}`)}
      fields={({ jobs = [], edges = [] }, _, set) => ({
        jobs: (props) => (
          <ThingsField
            {...props}
            change={(next) => set({ jobs: next, edges: between(next as string[], edges as ChainEdge[]) })}
          />
        ),
        edges: ({ change }) => <EdgesField ids={jobs as string[]} edges={edges as ChainEdge[]} change={change} />,
      })}
    />
  )
}

const between = (jobs: readonly string[], edges: readonly ChainEdge[]) =>
  edges.filter(({ from, to }) => jobs.includes(from) && jobs.includes(to))

interface EdgesFieldProps {
  ids: readonly string[]
  edges: readonly ChainEdge[]
  change: (edges: ChainEdge[]) => void
}

/** Connections are drawn in the graph, or added with the fields below it. */
function EdgesField({ ids, edges, change }: EdgesFieldProps) {
  const known = useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } }).data?.jobs
  const jobs = useMemo(() => known?.filter(({ id }) => ids.includes(id)) ?? [], [known, ids])
  const { cycle, connect } = useConnect(edges, change)
  if (jobs.length === 0) return null
  return (
    <Stack>
      <Hint>Drag from the right handle of a job to the left handle of the next one.</Hint>
      <ChainGraph jobs={jobs} edges={edges} connect={connect} />
      {cycle && (
        <Alert color="yellow" role="alert">
          This connection would create a cycle: the jobs would start each other forever.
        </Alert>
      )}
      <EdgeList jobs={jobs} edges={edges} change={change} connect={connect} />
    </Stack>
  )
}

function useConnect(edges: readonly ChainEdge[], change: (edges: ChainEdge[]) => void) {
  const [cycle, setCycle] = useState(false)
  const connect = (from: string, to: string) => {
    if (edges.some((edge) => edge.from === from && edge.to === to)) return
    const closes = closesCycle(edges, from, to)
    setCycle(closes)
    if (!closes) change([...edges, { from, to, type: 'on_success' }])
  }
  return { cycle, connect }
}

/** Whether a connection would lead back to where it starts. */
function closesCycle(edges: readonly ChainEdge[], from: string, to: string): boolean {
  const seen = new Set<string>()
  const reaches = (job: string): boolean => {
    if (job === from) return true
    if (seen.has(job)) return false
    seen.add(job)
    return edges.some((edge) => edge.from === job && reaches(edge.to))
  }
  return reaches(to)
}

interface EdgeListProps extends Omit<EdgesFieldProps, 'ids'> {
  jobs: readonly GraphJob[]
  connect: (from: string, to: string) => void
}

const edgeTypes = optionsOf(edgeLabels)

/** The same connections as the graph, usable without drawing. */
function EdgeList({ jobs, edges, change, connect }: EdgeListProps) {
  const nameOf = (id: string) => jobs.find((job) => job.id === id)?.name ?? id
  return (
    <Stack gap="xs">
      {edges.map((edge, index) => {
        const label = `${nameOf(edge.from)} → ${nameOf(edge.to)}`
        return (
          <Group key={`${edge.from}:${edge.to}`} gap="xs" wrap="nowrap">
            <Text size="sm" className="grow" truncate>
              {label}
            </Text>
            <Select
              size="xs"
              w={130}
              aria-label={`When: ${label}`}
              data={edgeTypes}
              value={edge.type}
              allowDeselect={false}
              onChange={(type) => change(edges.with(index, { ...edge, type: type as EdgeType }))}
            />
            <IconButton label={`Remove ${label}`} icon={IconTrash} onClick={() => change(edges.toSpliced(index, 1))} />
          </Group>
        )
      })}
      {jobs.length > 1 && <NewEdge jobs={jobs} connect={connect} />}
    </Stack>
  )
}

function NewEdge({ jobs, connect }: Pick<EdgeListProps, 'jobs' | 'connect'>) {
  const [from, setFrom] = useState<string | null>(null)
  const [to, setTo] = useState<string | null>(null)
  const data = optionsFor(jobs)
  const add = () => {
    if (from && to) connect(from, to)
    setFrom(null)
    setTo(null)
  }
  return (
    <Group gap="xs" align="flex-end">
      <Select size="xs" label="After" data={data} value={from} onChange={setFrom} />
      <Select size="xs" label="Start" data={data.filter(({ value }) => value !== from)} value={to} onChange={setTo} />
      <SmallButton disabled={!from || !to} onClick={add}>
        Add connection
      </SmallButton>
    </Group>
  )
}
