import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay, IconSitemap } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type Chain, chainQuery, jobsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { EmptyState } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { ChainSteps } from './chain-steps.tsx'
import { Graph } from './graph.tsx'
import { stateLabels } from './states.ts'

export function ChainPage({ id }: { id: string }) {
  const query = useQuery(chainQuery(useApi(), id))
  return (
    <Loaded query={query} what="This chain">
      {(chain) =>
        chain ? (
          <Whole chain={chain} />
        ) : (
          <EmptyState icon={<IconSitemap />} title="No such chain">
            It may have been deleted.
          </EmptyState>
        )
      }
    </Loaded>
  )
}

function Whole({ chain }: { chain: Chain }) {
  const known = useQuery(jobsQuery(useApi())).data?.jobs
  const { last_run } = chain
  const jobs = useMemo(
    () =>
      chain.jobs.map((id) => ({
        id,
        name: known?.find((job) => job.id === id)?.name ?? id,
        status: last_run?.steps?.find((step) => step.job_id === id)?.status,
      })),
    [chain, known, last_run],
  )
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Text component="h2" fw={600}>
            {chain.name}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {chain.on_schedule
              ? 'Goes on behind the scheduled runs of its first jobs, too.'
              : 'Starts only by hand.'}
          </Text>
        </div>
        <Actions chain={chain} />
      </Group>
      {last_run && (
        <Group gap="xs" role="status">
          <Text size="sm">
            Last run <Time at={last_run.started_at} />
          </Text>
          <Badge size="sm" variant="light" color={stateLabels[last_run.status]?.color ?? 'gray'}>
            {stateLabels[last_run.status]?.label ?? last_run.status}
          </Badge>
        </Group>
      )}
      <Graph jobs={jobs} edges={chain.edges} />
      <ChainSteps chain={chain} jobs={jobs} />
      <Anchor component={Link} href="/scheduler/chains" size="sm" underline="hover">
        All chains
      </Anchor>
    </Stack>
  )
}

function Actions({ chain }: { chain: Chain }) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: ['scheduler'] })
  const run = useMutation({
    mutationFn: () => api.post(`/api/scheduler/chains/${chain.id}/trigger`),
    async onSuccess() {
      await refresh()
      announce(`${chain.name} has begun`)
    },
  })
  const remove = useMutation({
    mutationFn: () => api.remove(`/api/scheduler/chains/${chain.id}`),
    async onSuccess() {
      navigate('/scheduler/chains')
      await refresh()
      announce(`${chain.name} was deleted`)
    },
  })
  return (
    <Group gap="xs">
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={14} />}
        loading={run.isPending}
        onClick={() => run.mutate()}
      >
        Run the chain
      </Button>
      <Button component={Link} size="xs" variant="default" href={`/scheduler/chains/new?from=${chain.id}`}>
        Make another of it
      </Button>
      <Button size="xs" variant="subtle" c="var(--mantine-color-error)" onClick={() => setAsked(true)}>
        Delete…
      </Button>
      <ConfirmByName
        name={asked ? chain.name : null}
        what="chain"
        pending={remove.isPending}
        confirm={() => remove.mutate(undefined, { onSettled: () => setAsked(false) })}
        close={() => setAsked(false)}
      >
        Its jobs stay, and no longer start each other.
      </ConfirmByName>
    </Group>
  )
}
