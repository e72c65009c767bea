import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { type Provider, type ProviderId, providersQuery } from '../../api/providers.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { CardSkeletons } from '../../parts/states.tsx'
import { OfflineCard } from './offline-card.tsx'
import { ProviderCard } from './provider-card.tsx'

const ProviderDrawer = lazy(async () => ({ default: (await import('./provider-drawer.tsx')).ProviderDrawer }))
const Failover = lazy(async () => ({ default: (await import('./failover/index.tsx')).Failover }))

export function Providers() {
  const query = useQuery(providersQuery(useApi()))
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
