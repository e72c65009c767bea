import { Group, Text } from '@mantine/core'
import { IconPlus, IconSitemap } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Chain } from '../../../runtime/scheduler/chains.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { chainStatus } from './status.tsx'

const loading = <SkeletonRows count={6} height={64} />
/** Loaded with the graph library when a chain is opened. */
const ChainPage = lazily(() => import('./chain-page.tsx'), 'ChainPage', loading)
const NewChain = lazily(() => import('./chain-form.tsx'), 'NewChain', loading)

/** `part` is `new` or the ID of a chain. */
export function ChainsView({ part }: { part: string | undefined }) {
  if (part === undefined) return <ChainList />
  return <>{part === 'new' ? <NewChain /> : <ChainPage id={part} />}</>
}

function ChainList() {
  const query = useEndpoint('/api/scheduler/chains')
  const create = (
    <LinkButton icon={IconPlus} href="/scheduler/chains/new">
      New chain
    </LinkButton>
  )
  return (
    <Loaded query={query} what="Chains" skeleton={<SkeletonRows count={3} height={60} />}>
      {({ chains }) =>
        chains.length === 0 ? (
          <EmptyState icon={<IconSitemap />} title="No chains yet" action={create}>
            A chain starts a job when another one ends: on success, on failure, or always.
          </EmptyState>
        ) : (
          <>
            <Group justify="flex-end" mb="sm">
              {create}
            </Group>
            <section className="card" aria-label="Chains">
              {chains.map((chain) => (
                <ChainRow key={chain.id} chain={chain} />
              ))}
            </section>
          </>
        )
      }
    </Loaded>
  )
}

function ChainRow({ chain: { id, name, jobs, edges, last_run } }: { chain: Chain }) {
  return (
    <Link href={`/scheduler/chains/${id}`} className="row">
      <div className="grow">
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Hint>
          {counted(jobs.length, 'job', 'jobs')}, {counted(edges.length, 'connection', 'connections')}
        </Hint>
      </div>
      {last_run && (
        <Group gap="xs">
          <Hint>
            <Time at={last_run.started_at} />
          </Hint>
          <StatusBadge {...chainStatus(last_run.status)} />
        </Group>
      )}
    </Link>
  )
}
