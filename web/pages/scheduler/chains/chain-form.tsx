import { Alert, Button, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { fieldErrors, readable } from '../../../api/error.ts'
import type { Chain, ChainEdge, Job } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { EdgeList } from './edge-list.tsx'
import { Graph } from './graph.tsx'
import { closesCircle } from './layout.ts'

interface ChainFormProps {
  known: readonly Job[]
  /** What it begins with. */
  pattern: Chain | null
}

/** A chain is drawn from point to point, or written with the fields below the graph. */
export function ChainForm({ known, pattern }: ChainFormProps) {
  const [name, setName] = useState(pattern ? `${pattern.name} (copy)` : '')
  const [jobs, setJobs] = useState<string[]>(pattern?.jobs ?? [])
  const [edges, setEdges] = useState<ChainEdge[]>(pattern?.edges ?? [])
  const [onSchedule, setOnSchedule] = useState(pattern?.on_schedule ?? true)
  const [circle, setCircle] = useState(false)
  const create = useCreateChain()
  const errors = fieldErrors(create.error)
  const chosen = useMemo(() => known.filter(({ id }) => jobs.includes(id)), [known, jobs])
  const connect = (from: string, to: string) => {
    if (edges.some((edge) => edge.from === from && edge.to === to)) return
    const round = closesCircle(edges, from, to)
    setCircle(round)
    if (!round) setEdges([...edges, { from, to, type: 'on_success' }])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ name, jobs, edges, on_schedule: onSchedule })
  }
  return (
    <Stack component="form" onSubmit={submit}>
      {create.isError && (
        <Alert color="red" role="alert" title="Not saved">
          {readable(create.error)}
        </Alert>
      )}
      <TextInput
        label="Name"
        required
        maxLength={200}
        error={errors.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MultiSelect
        label="Jobs"
        required
        searchable
        data={known.map((job) => ({ value: job.id, label: job.name }))}
        value={jobs}
        error={errors.jobs}
        placeholder={known.length === 0 ? 'There is no job yet' : undefined}
        onChange={(next) => {
          setJobs(next)
          setEdges(edges.filter(({ from, to }) => next.includes(from) && next.includes(to)))
        }}
      />
      {chosen.length > 0 && (
        <>
          <Text size="xs" c="dimmed">
            Draw an arrow from the right point of a job to the left point of the one that comes behind it.
          </Text>
          <Graph jobs={chosen} edges={edges} connect={connect} />
          {circle && (
            <Alert color="yellow" variant="light" role="alert">
              That arrow would lead round in a circle: each job would start the other again.
            </Alert>
          )}
          <EdgeList jobs={chosen} edges={edges} change={setEdges} connect={connect} />
        </>
      )}
      <Switch
        label="Also behind scheduled runs"
        description="Not only when the chain is started by hand, but also when its first jobs run by their own schedule"
        checked={onSchedule}
        onChange={(event) => setOnSchedule(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button component={Link} href="/scheduler/chains" variant="default">
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending} disabled={jobs.length === 0}>
          Create the chain
        </Button>
      </Group>
    </Stack>
  )
}

function useCreateChain() {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: (chain: Pick<Chain, 'name' | 'jobs' | 'edges' | 'on_schedule'>) =>
      api.post<Chain>('/api/scheduler/chains', chain),
    meta: { shown: true },
    async onSuccess(chain) {
      await queries.invalidateQueries({ queryKey: ['scheduler'] })
      announce(`${chain.name} is there`)
      navigate(`/scheduler/chains/${chain.id}`)
    },
  })
}
