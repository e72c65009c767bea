import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ProviderId } from '../../../runtime/models/vendors/index.ts'
import type { Provider } from '../../../runtime/providers/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { CardSkeletons, Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Time, When } from '../../parts/time.tsx'
import { Muted } from '../../parts/typography.tsx'

const ProviderDrawer = lazily(() => import('./provider-drawer.tsx'), 'ProviderDrawer')
const Failover = lazily(() => import('./failover.tsx'), 'Failover')

export function Providers() {
  const query = useEndpoint('/api/providers')
  const [edited, setEdited] = useState<ProviderId | null>(null)
  const provider = query.data?.providers.find(({ id }) => id === edited)
  return (
    <Stack>
      <Loaded query={query} what="Model providers" skeleton={<CardSkeletons count={9} height={150} />}>
        {({ providers, builtin }) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {providers.map((one) => (
                <ProviderCard key={one.id} provider={one} edit={() => setEdited(one.id)} />
              ))}
              <Card name={builtin.name} status={{ label: 'Built in', color: 'gray' }}>
                {builtin.description}
              </Card>
            </SimpleGrid>

            {provider && <ProviderDrawer provider={provider} close={() => setEdited(null)} />}
            <Failover providers={providers} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

interface Status {
  label: string
  color: string
}

const statuses: Record<Provider['status'], Status> = {
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

interface CardProps {
  name: string
  status: Status
  details?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

const Card = ({ name, status: { label, color }, details, actions, children }: CardProps) => (
  <Stack component="article" className="card" p="md" gap="xs" justify="space-between" aria-label={name}>
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text component="h2" fw={600}>
          {name}
        </Text>
        <Badge color={color}>{label}</Badge>
      </Group>
      <Muted>{children}</Muted>
      {details}
    </div>
    <Group gap="xs">{actions}</Group>
  </Stack>
)

function ProviderCard({ provider, edit }: { provider: Provider; edit: () => void }) {
  const { id, name, status, configured, kind } = provider
  return (
    <Card
      name={name}
      status={statuses[status]}
      details={
        <>
          <LastTest {...provider} />
          <AdjustedArguments {...provider} />
        </>
      }
      actions={
        <>
          <SmallButton variant={configured ? 'default' : 'light'} onClick={edit}>
            {configured ? 'Edit' : 'Set up'}
          </SmallButton>
          {configured && (
            <ActionButton
              run={(api) => api.post('/api/providers/{id}/test', { params: { id } })}
              done={({ ok, model, latency_ms, error }) => {
                if (ok) announce(`${model ?? name} answered in ${latency_ms} ms`)
                else announceError(new Error(`${name}: ${error ?? 'no reason given'}`))
              }}
            >
              Test
            </ActionButton>
          )}
        </>
      }
    >
      {configured ? <Details {...provider} /> : kinds[kind]}
    </Card>
  )
}

function Details({ key_hint, base_url, default_model, models }: Provider) {
  const known = models.length > 0 ? counted(models.length, 'model', 'models') : null
  return (
    <span className="mono">{[key_hint, base_url, default_model, known].filter(Boolean).join(' · ') || 'Set up'}</span>
  )
}

function LastTest({ last_test, cooldown_until }: Provider) {
  const failed = last_test?.ok === false
  return (
    <Text size="xs" c={failed ? 'var(--mantine-color-error)' : 'dimmed'} component="div" mt={4}>
      {last_test && (
        <>
          {failed ? last_test.error : `Answered in ${last_test.latency_ms} ms`}, <Time at={last_test.at} />
        </>
      )}
      <When label="cooling down until" at={cooldown_until} />
    </Text>
  )
}

/** What the server refused in earlier calls. */
function AdjustedArguments({ adjusted_arguments }: Provider) {
  if (adjusted_arguments.length === 0) return null
  const described = adjusted_arguments.map(
    ({ argument, sent_as, model }) =>
      `${argument}${sent_as === null ? '' : ` (as ${sent_as})`}${model === null ? '' : ` for ${model}`}`,
  )
  const sent = adjusted_arguments.some(({ sent_as }) => sent_as !== null)
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {sent ? 'Adjusted for this server' : 'Not sent, because the server refuses it'}: {described.join(', ')}
    </Text>
  )
}
