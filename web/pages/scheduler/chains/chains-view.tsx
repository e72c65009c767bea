import { Badge, Button, Group, Text } from '@mantine/core'
import { IconPlus, IconSitemap } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { type Chain, chainsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { stateLabels } from './states.ts'

/** The graph is a library of its own: it comes when a chain is opened. */
const ChainPage = lazy(async () => ({ default: (await import('./chain-page.tsx')).ChainPage }))
const NewChain = lazy(async () => ({ default: (await import('./new-chain.tsx')).NewChain }))

/** `part` is `new` or the id of a chain. */
export function ChainsView({ part }: { part: string | undefined }) {
  if (part === undefined) return <ChainList />
  return (
    <Suspense fallback={<SkeletonRows count={6} height={64} />}>
      {part === 'new' ? <NewChain /> : <ChainPage id={part} />}
    </Suspense>
  )
}

function ChainList() {
  const query = useQuery(chainsQuery(useApi()))
  const create = (
    <Button
      component={Link}
      href="/scheduler/chains/new"
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} />}
    >
      New chain
    </Button>
  )
  return (
    <Loaded query={query} what="Chains" skeleton={<SkeletonRows count={3} height={60} />}>
      {({ chains }) =>
        chains.length === 0 ? (
          <EmptyState icon={<IconSitemap />} title="No chains yet" action={create}>
            A chain starts one job when another has ended: on success, on failure, or either way.
          </EmptyState>
        ) : (
          <>
            <Group justify="flex-end" mb="sm">
              {create}
            </Group>
            <section className="card" aria-label="Chains">
              {chains.map((chain) => (
                <Row key={chain.id} chain={chain} />
              ))}
            </section>
          </>
        )
      }
    </Loaded>
  )
}

function Row({ chain }: { chain: Chain }) {
  const { last_run } = chain
  return (
    <Link href={`/scheduler/chains/${chain.id}`} className="row">
      <div className="grow">
        <Text size="sm" fw={550}>
          {chain.name}
        </Text>
        <Text size="xs" c="dimmed">
          {counted(chain.jobs.length, 'job', 'jobs')}, {counted(chain.edges.length, 'arrow', 'arrows')}
        </Text>
      </div>
      {last_run && (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            <Time at={last_run.started_at} />
          </Text>
          <Badge size="sm" variant="light" color={stateLabels[last_run.status]?.color ?? 'gray'}>
            {stateLabels[last_run.status]?.label ?? last_run.status}
          </Badge>
        </Group>
      )}
    </Link>
  )
}
