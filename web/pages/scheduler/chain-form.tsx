import { Alert, Group, MultiSelect, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Chain } from '../../../runtime/scheduler/chains.ts'
import type { Edge as ChainEdge, EdgeType, Job } from '../../../runtime/scheduler/schema.ts'
import { optionalQuery, useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { optionsFor, optionsOf } from '../../parts/options.ts'
import { Hint } from '../../parts/typography.tsx'
import { ChainGraph, type GraphJob } from './chain-graph.tsx'
import { edgeLabels } from './status.tsx'

/** `?from=<chain>` starts with a copy of that chain. */
export function NewChain() {
  const from = new URLSearchParams(useSearch()).get('from')
  const original = useQuery({
    ...optionalQuery(useApi(), '/api/scheduler/chains/{id}', { params: { id: from ?? '' } }),
    enabled: from !== null,
  })
  const jobs = useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } })
  return (
    <Loaded query={jobs} what="Jobs">
      {(data) =>
        from !== null && original.isPending ? null : (
          <ChainForm key={from} known={data.jobs} original={original.data ?? null} />
        )
      }
    </Loaded>
  )
}

interface ChainFormProps {
  known: readonly Job[]
  original: Chain | null
}

/** Connections are drawn in the graph, or added with the fields below it. */
function ChainForm({ known, original }: ChainFormProps) {
  const [, navigate] = useLocation()
  const form = useChainForm(original)
  const { jobs, edges } = form.values
  const chosen = useMemo(() => known.filter(({ id }) => jobs.includes(id)), [known, jobs])
  const change = (next: ChainEdge[]) => form.setFieldValue('edges', next)
  const { cycle, connect } = useConnect(edges, change)
  const { text, toggle } = inputsOf(form)
  return (
    <EntityForm
      form={form}
      verb="Create chain"
      close={() => navigate('/scheduler/chains')}
      disabled={jobs.length === 0}
    >
      {text('name', 'Name', { required: true, maxLength: 200 })}
      <MultiSelect
        label="Jobs"
        required
        searchable
        data={known.map((job) => ({ value: job.id, label: job.name }))}
        placeholder={known.length === 0 ? 'No jobs yet' : undefined}
        {...form.getInputProps('jobs')}
        onChange={(next) => {
          form.setFieldValue('jobs', next)
          change(edges.filter(({ from, to }) => next.includes(from) && next.includes(to)))
        }}
      />
      {chosen.length > 0 && (
        <>
          <Hint>Drag from the right handle of a job to the left handle of the next one.</Hint>
          <ChainGraph jobs={chosen} edges={edges} connect={connect} />
          {cycle && (
            <Alert color="yellow" role="alert">
              This connection would create a cycle: the jobs would start each other forever.
            </Alert>
          )}
          <EdgeList jobs={chosen} edges={edges} change={change} connect={connect} />
        </>
      )}
      {toggle('on_schedule', 'Also continue after scheduled runs', {
        description:
          'Not only when you start the chain, but also when its first jobs run on their own schedule',
      })}
    </EntityForm>
  )
}

type ChainValues = Pick<Chain, 'name' | 'jobs' | 'edges' | 'on_schedule'>

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

function useChainForm(original: Chain | null) {
  const api = useApi()
  const [, navigate] = useLocation()
  const { name, jobs = [], edges = [], on_schedule = true } = original ?? {}
  return useApiForm<ChainValues, Chain>({
    initial: { name: name ? `${name} (copy)` : '', jobs, edges, on_schedule },
    save: (values) => api.post('/api/scheduler/chains', { body: values }),
    stale: ['/api/scheduler'],
    saved(chain) {
      announce(`${chain.name} was created`)
      navigate(`/scheduler/chains/${chain.id}`)
    },
  })
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

interface EdgeListProps {
  jobs: readonly GraphJob[]
  edges: readonly ChainEdge[]
  change: (edges: ChainEdge[]) => void
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
            <IconButton
              label={`Remove ${label}`}
              icon={IconTrash}
              onClick={() => change(edges.toSpliced(index, 1))}
            />
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
      <Select
        size="xs"
        label="Start"
        data={data.filter(({ value }) => value !== from)}
        value={to}
        onChange={setTo}
      />
      <SmallButton disabled={!from || !to} onClick={add}>
        Add connection
      </SmallButton>
    </Group>
  )
}
