import { Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay, IconSitemap } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import type { Chain } from '../../../runtime/scheduler/chains.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { ActionButton, DangerButton, LinkButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Found } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ChainGraph, type GraphJob } from './chain-graph.tsx'
import { chainStatus, edgeLabels } from './status.tsx'

export function ChainPage({ id }: { id: string }) {
  const query = useOptional('/api/scheduler/chains/{id}', { params: { id } })
  return (
    <Found query={query} what="This chain" icon={<IconSitemap />}>
      {(chain) => <Content chain={chain} />}
    </Found>
  )
}

function Content({ chain }: { chain: Chain }) {
  const { last_run } = chain
  const jobs = useJobs(chain)
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Text component="h2" fw={600}>
            {chain.name}
          </Text>
          <Hint>
            {chain.on_schedule
              ? 'Also continues after scheduled runs of its first jobs'
              : 'Runs only when you start it'}
          </Hint>
        </div>
        <Actions chain={chain} />
      </Group>
      {last_run && (
        <Group gap="xs" role="status">
          <Text size="sm">
            Last run <Time at={last_run.started_at} />
          </Text>
          <StatusBadge {...chainStatus(last_run.status)} />
        </Group>
      )}
      <ChainGraph jobs={jobs} edges={chain.edges} />
      <Panel title="Jobs of the chain">
        {jobs.map((job) => (
          <JobRow key={job.id} chain={chain} jobs={jobs} job={job} />
        ))}
      </Panel>
      <TextLink href="/scheduler/chains">All chains</TextLink>
    </Stack>
  )
}

/** The jobs of a chain with their status in its last run. */
function useJobs({ jobs, last_run }: Chain): GraphJob[] {
  const known = useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } }).data?.jobs
  return useMemo(
    () =>
      jobs.map((id) => ({
        id,
        name: known?.find((job) => job.id === id)?.name ?? id,
        status: last_run?.steps?.find((step) => step.job_id === id)?.status,
      })),
    [jobs, known, last_run],
  )
}

interface JobRowProps {
  chain: Chain
  jobs: readonly GraphJob[]
  job: GraphJob
}

/** The graph as text, with a link to each job and its run. */
function JobRow({ chain, jobs, job: { id, name, status } }: JobRowProps) {
  const run = chain.last_run?.steps?.find((step) => step.job_id === id)?.run_id
  const nameOf = (other: string) => jobs.find((job) => job.id === other)?.name ?? other
  const after = chain.edges
    .filter(({ to }) => to === id)
    .map(({ from, type }) => `after ${nameOf(from)}, ${edgeLabels[type]}`)
  return (
    <Link href={run ? `/scheduler/${id}/${run}` : `/scheduler/${id}`} className="row">
      <div className="grow">
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Hint>{after.join('; ') || 'first'}</Hint>
      </div>
      {status && <StatusBadge {...chainStatus(status)} />}
    </Link>
  )
}

function Actions({ chain: { id, name } }: { chain: Chain }) {
  const [, navigate] = useLocation()
  const run = useChange((api) => api.post('/api/scheduler/chains/{id}/trigger', { params: { id } }), {
    stale: ['/api/scheduler'],
    done: () => announce(`${name} was started`),
  })
  const remove = useChange(
    async (api) => {
      await api.delete('/api/scheduler/chains/{id}', { params: { id } })
      navigate('/scheduler/chains')
    },
    { stale: ['/api/scheduler'], done: () => announce(`${name} was deleted`) },
  )
  return (
    <Group gap="xs">
      <ActionButton icon={IconPlayerPlay} variant="filled" run={run}>
        Run chain
      </ActionButton>
      <LinkButton href={`/scheduler/chains/new?from=${id}`}>Duplicate</LinkButton>
      <ConfirmByName
        name={name}
        what="chain"
        effect="Its jobs are kept, but no longer start each other."
        run={remove}
      >
        {(ask) => <DangerButton onClick={ask}>Delete…</DangerButton>}
      </ConfirmByName>
    </Group>
  )
}
