import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Provider, ProviderId } from '../../../runtime/providers/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce, announceError } from '../../parts/announce.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { counted } from '../../parts/numbers.ts'
import { CardSkeletons } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'

const ProviderDrawer = lazy(async () => ({ default: (await import('./provider-drawer.tsx')).ProviderDrawer }))
const Failover = lazy(async () => ({ default: (await import('./failover.tsx')).Failover }))

export function Providers() {
  const query = useEndpoint('/api/providers')
  const [edited, setEdited] = useState<ProviderId | null>(null)
  return (
    <Stack>
      <Loaded query={query} what="Model providers" skeleton={<CardSkeletons count={9} height={150} />}>
        {({ providers, builtin }) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {providers.map((provider) => (
                <ProviderCard key={provider.id} provider={provider} edit={() => setEdited(provider.id)} />
              ))}
              <OfflineCard {...builtin} />
            </SimpleGrid>
            {chosen(providers, edited) && (
              <Suspense>
                <ProviderDrawer provider={chosen(providers, edited)} close={() => setEdited(null)} />
              </Suspense>
            )}
            <Suspense>
              <Failover providers={providers} />
            </Suspense>
          </>
        )}
      </Loaded>
    </Stack>
  )
}

const chosen = (providers: readonly Provider[], id: ProviderId | null) =>
  providers.find((provider) => provider.id === id) ?? null

const statuses: Record<Provider['status'], { label: string; color: string }> = {
  ok: { label: 'Ready', color: 'teal' },
  unconfigured: { label: 'Not set up', color: 'gray' },
  error: { label: 'Error', color: 'red' },
  cooldown: { label: 'Cooling down', color: 'yellow' },
}

const kinds = {
  vendor: 'Needs an API key',
  gateway: 'Many vendors with one key',
  local: 'Runs on your own machine',
} as const

function ProviderCard({ provider, edit }: { provider: Provider; edit: () => void }) {
  const { label, color } = statuses[provider.status]
  const test = useTest(provider)
  return (
    <Stack
      component="article"
      className="card"
      p="md"
      gap="xs"
      justify="space-between"
      aria-label={provider.name}
    >
      <div>
        <Group justify="space-between" wrap="nowrap">
          <Text component="h2" fw={600}>
            {provider.name}
          </Text>
          <Badge variant="light" color={color}>
            {label}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {provider.configured ? <Details {...provider} /> : kinds[provider.kind]}
        </Text>
        <LastTest {...provider} />
      </div>
      <Group gap="xs">
        <Button size="xs" variant={provider.configured ? 'default' : 'light'} onClick={edit}>
          {provider.configured ? 'Edit' : 'Set up'}
        </Button>
        {provider.configured && (
          <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            Test
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Details({ key_hint, base_url, default_model, models }: Provider) {
  const known = models.length > 0 ? counted(models.length, 'model', 'models') : null
  return (
    <span className="mono">
      {[key_hint, base_url, default_model, known].filter(Boolean).join(' · ') || 'Set up'}
    </span>
  )
}

function LastTest({ last_test, cooldown_until }: Provider) {
  return (
    <Text
      size="xs"
      c={last_test?.ok === false ? 'var(--mantine-color-error)' : 'dimmed'}
      component="div"
      mt={4}
    >
      {last_test?.ok && (
        <>
          Answered in {last_test.latency_ms} ms, <Time at={last_test.at} />
        </>
      )}
      {last_test?.ok === false && (
        <>
          {last_test.error}, <Time at={last_test.at} />
        </>
      )}
      {cooldown_until && (
        <>
          {' '}
          · cooling down until <Time at={cooldown_until} />
        </>
      )}
    </Text>
  )
}

function useTest({ id, name }: Provider) {
  return useChange((api) => api.post('/api/providers/{id}/test', { params: { id } }), {
    stale: ['/api/providers'],
    done({ ok, model, latency_ms, error }) {
      if (ok) announce(`${model ?? name} answered in ${latency_ms} ms`)
      else announceError(new Error(`${name}: ${error ?? 'no reason given'}`))
    },
  })
}

/** The built-in offline model, which needs no setup. */
function OfflineCard({ name, description }: { name: string; description: string }) {
  return (
    <Stack component="article" className="card" p="md" gap="xs" aria-label={name}>
      <Group justify="space-between" wrap="nowrap">
        <Text component="h2" fw={600}>
          {name}
        </Text>
        <Badge variant="light" color="gray">
          Built in
        </Badge>
      </Group>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </Stack>
  )
}
