import { Group, Text } from '@mantine/core'
import { IconPlayerPlay, IconPlus, IconSitemap } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Chain } from '../../../runtime/scheduler/chains.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { DangerButton, LinkButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useDeletion } from '../../parts/use-deletion.ts'
import type { GraphJob } from './chain-graph.tsx'
import { chainStatus, edgeLabels } from './status.tsx'

const loading = <SkeletonRows count={6} height={64} />
/** Loaded with the graph library when a chain is opened. */
const ChainGraph = lazily(() => import('./chain-graph.tsx'), 'ChainGraph', loading)
const NewChain = lazily(() => import('./chain-form.tsx'), 'NewChain', loading)

/** `part` is `new` or the ID of a chain. */
export function ChainsView({ part }: { part: string | undefined }) {
  if (part === 'new') return <NewChain />
  return (
    <ResourcePage
      path="/api/scheduler/chains"
      items="chains"
      noun="chain"
      title="Chains"
      icon={IconSitemap}
      empty="A chain starts a job when another one ends: on success, on failure, or always."
      actions={
        <LinkButton icon={IconPlus} href="/scheduler/chains/new">
          New chain
        </LinkButton>
      }
      canChange={false}
      place="/scheduler/chains"
      id={part}
      row={({ jobs, edges, last_run }) => ({
        badges: last_run && <StatusBadge {...chainStatus(last_run.status)} />,
        children: (
          <Hint>
            {counted(jobs.length, 'job', 'jobs')}, {counted(edges.length, 'connection', 'connections')}
            {last_run && (
              <>
                , last run <Time at={last_run.started_at} />
              </>
            )}
          </Hint>
        ),
      })}
      detail={(chain) => <ChainPage chain={chain} />}
    />
  )
}

function ChainPage({ chain }: { chain: Chain }) {
  const { last_run } = chain
  const jobs = useJobs(chain)
  return (
    <>
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
    </>
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
  const run = useChange((api) => api.post('/api/scheduler/chains/{id}/trigger', { params: { id } }), {
    stale: ['/api/scheduler'],
    done: () => announce(`${name} was started`),
  })
  const path = '/api/scheduler/chains'
  const remove = useDeletion({ path, id, name, home: '/scheduler/chains', stale: ['/api/scheduler'] })
  return (
    <Group gap="xs">
      <ActionButton icon={IconPlayerPlay} variant="filled" run={run}>
        Run chain
      </ActionButton>
      <LinkButton href={`/scheduler/chains/new?copy=${id}`}>Duplicate</LinkButton>
      <ConfirmByName name={name} what="chain" effect="Its jobs are kept, but no longer start each other." run={remove}>
        {(ask) => <DangerButton onClick={ask}>Delete…</DangerButton>}
      </ConfirmByName>
    </Group>
  )
}
