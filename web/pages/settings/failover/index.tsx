import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { backupQuery, type Provider, providerUsageQuery } from '../../../api/providers.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { ProviderLimits } from './provider-limits.tsx'
import { Thresholds } from './thresholds.tsx'

const BackupForm = lazy(async () => ({ default: (await import('./backup-form.tsx')).BackupForm }))

/** How near each provider is to its limits, and who takes over. */
export function Failover({ providers }: { providers: readonly Provider[] }) {
  const api = useApi()
  const usage = useQuery(providerUsageQuery(api))
  const backup = useQuery(backupQuery(api))
  const [edited, setEdited] = useState<string | null>(null)
  const nameOf = (id: string) => providers.find((provider) => provider.id === id)?.name ?? id
  const used = usage.data?.providers.find(({ provider }) => provider === edited)
  return (
    <Stack gap="lg">
      <Panel title="Limits and backups">
        <Loaded query={usage} what="The limits" skeleton={<SkeletonRows count={2} height={84} />}>
          {({ providers: all }) => {
            const shown = all.filter(({ configured, backup: rule }) => configured || rule)
            if (shown.length === 0) return <Nothing />
            return shown.map((one) => (
              <ProviderLimits
                key={one.provider}
                usage={one}
                nameOf={nameOf}
                edit={() => setEdited(one.provider)}
              />
            ))
          }}
        </Loaded>
      </Panel>
      <Panel title="When to switch">
        <Loaded query={backup} what="The thresholds" skeleton={<SkeletonRows count={4} />}>
          {(settings) => <Thresholds settings={settings} />}
        </Loaded>
      </Panel>
      {used && (
        <Suspense>
          <BackupForm usage={used} providers={providers} close={() => setEdited(null)} />
        </Suspense>
      )}
    </Stack>
  )
}

function Nothing() {
  return (
    <Text size="sm" c="dimmed" px="md" pb="md">
      Once a provider is set up, it shows here how much of its limits is used.
    </Text>
  )
}
