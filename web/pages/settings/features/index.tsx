import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../api/auth.ts'
import { type FeatureList, featuresQuery } from '../../../api/features.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { Command } from './command.tsx'
import { FeatureRow } from './feature-row.tsx'
import { PackCard } from './pack-card.tsx'

export function Features() {
  const query = useQuery(featuresQuery(useApi()))
  return (
    <Loaded query={query} what="The features">
      {(list) => <FeatureLists list={list} />}
    </Loaded>
  )
}

function FeatureLists({ list: { features, packs, install } }: { list: FeatureList }) {
  const me = useQuery(meQuery(useApi())).data
  const admin = me?.scopes.includes('admin') ?? false
  return (
    <Stack gap="lg">
      <Panel title="Packs">
        {!admin && me && (
          <Alert m="md" mt={0} color="gray">
            Ask an administrator of this hearthd to install a pack.
          </Alert>
        )}
        {packs.map((pack) => (
          <PackCard key={pack.id} pack={pack} admin={admin} />
        ))}
      </Panel>
      <Panel title="On this machine">
        {features
          .filter(({ kind }) => kind !== 'pack')
          .map((feature) => (
            <FeatureRow key={feature.id} feature={feature} />
          ))}
      </Panel>
      <Panel title="Installation">
        <Stack gap={6} px="md" pb="md">
          <Text size="sm">
            hearthd {install.version}. {install.label}
          </Text>
          {install.repair_command && <Command what="repair command" value={install.repair_command} />}
        </Stack>
      </Panel>
    </Stack>
  )
}
