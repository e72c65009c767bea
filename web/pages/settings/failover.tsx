import { Badge, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { Provider, ProviderUsage, WindowUsage } from '../../../runtime/providers/schema.ts'
import type { AnswerOf } from '../../api/client.ts'
import { ApiError } from '../../api/error.ts'
import { endpointQuery, useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { lazily } from '../../parts/lazily.ts'
import { List, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { When } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'

const BackupForm = lazily(() => import('./backup-form.tsx'), 'BackupForm')

/** The usage of each provider’s limits, and its backup. */
export function Failover({ providers }: { providers: readonly Provider[] }) {
  const usage = useEndpoint('/api/providers/usage')
  const backup = useEndpoint('/api/providers/backup')
  const [edited, setEdited] = useState<string | null>(null)
  const nameOf = (id: string) => providers.find((provider) => provider.id === id)?.name ?? id
  const used = usage.data?.providers.find(({ provider }) => provider === edited)
  return (
    <Stack gap="lg">
      <Panel title="Limits and backups">
        <List
          query={usage}
          what="The limits"
          items={(data) => data.providers.filter(({ configured, backup: rule }) => configured || rule)}
          empty="Set up a provider to see its usage here."
          skeleton={<SkeletonRows count={2} height={84} />}
        >
          {(one) => (
            <ProviderLimits key={one.provider} usage={one} nameOf={nameOf} edit={() => setEdited(one.provider)} />
          )}
        </List>
      </Panel>
      <Panel title="When to switch">
        <Loaded query={backup} what="The thresholds" skeleton={<SkeletonRows count={4} />}>
          {(settings) => <Thresholds key={JSON.stringify(settings)} settings={settings} />}
        </Loaded>
      </Panel>
      {used && <BackupForm usage={used} providers={providers} close={() => setEdited(null)} />}
    </Stack>
  )
}

interface ProviderLimitsProps {
  usage: ProviderUsage
  nameOf: (provider: string) => string
  edit: () => void
}

const heats = {
  cool: { label: 'Within limits', color: 'teal' },
  near: { label: 'Near its limit', color: 'yellow' },
  out: { label: 'Limit reached', color: 'red' },
} as const

function ProviderLimits({ usage, nameOf, edit }: ProviderLimitsProps) {
  const { provider, heat, failed_over, backup } = usage
  const name = nameOf(provider)
  const { label, color } = heats[heat.level]
  const refresh = useRefresh()
  return (
    <Row
      name={name}
      label={`Limits of ${name}`}
      badges={
        <>
          {usage.source !== 'unknown' && <Badge color={color}>{label}</Badge>}
          {failed_over && <Badge color="yellow">Failed over</Badge>}
        </>
      }
      actions={
        <>
          {failed_over && (
            <ActionButton
              run={(api) => api.post('/api/providers/backup/{id}/return', { params: { id: provider } }).catch(whyNot)}
              done={() => {
                announce(`${name} is in use again`)
                return refresh('/api/providers/usage')
              }}
            >
              Return now
            </ActionButton>
          )}
          <SmallButton onClick={edit}>{backup ? 'Edit' : 'Set a backup'}</SmallButton>
        </>
      }
      details={
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="xs">
            <Window label="5 hours" name={name} used={usage.five_hour} color={color} />
            <Window label="7 days" name={name} used={usage.seven_day} color={color} />
          </SimpleGrid>
          <Hint mt={6}>
            {backup ? `Backup: ${nameOf(backup.provider)}, ${backup.model}` : 'No backup'}
            <When label="failed over" at={usage.failed_over_at} />
            <When label="rate-limited by the vendor until" at={usage.hard_limit_until} />
          </Hint>
        </>
      }
    />
  )
}

interface WindowProps {
  label: string
  name: string
  used: WindowUsage
  color: string
}

const sources: Record<WindowUsage['source'], string> = {
  header: 'reported by the vendor',
  estimated: 'estimated from the limits of your plan',
  unknown: 'not reported by the vendor; enter the limits of your plan to see an estimate',
}

function Window({ label, name, used, color }: WindowProps) {
  const percent = used.utilization === null ? null : Math.round(used.utilization * 100)
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Muted>{percent === null ? 'unknown' : `${percent} %`}</Muted>
      </Group>
      <Progress value={Math.min(100, percent ?? 0)} color={color} aria-label={`${name}: used in ${label}`} my={2} />
      <Hint>
        {sources[used.source]}
        <When label="resets" at={used.resets_at} />
      </Hint>
    </div>
  )
}

function whyNot(error: unknown): never {
  const isFull = error instanceof ApiError && error.status === 409
  throw isFull ? new Error(`${error.message}. It can return when its usage drops.`) : error
}

const bothOut = [
  { value: 'pause', label: 'Wait until one is available' },
  { value: 'keep_going', label: 'Continue with the first provider' },
]

const percents = [
  { name: 'five_hour_threshold_pct', label: 'Switch at (5 hours)' },
  { name: 'seven_day_threshold_pct', label: 'Switch at (7 days)' },
  { name: 'return_below_pct', label: 'Return below' },
] as const

function Thresholds({ settings }: { settings: AnswerOf<'GET', '/api/providers/backup'> }) {
  const api = useApi()
  const queries = useQueryClient()
  const { defaults, rules: _, ...initial } = settings
  const form = useApiForm({
    initial,
    save: (_values, changes) => api.put('/api/providers/backup', { body: changes }),
    saved(saved) {
      queries.setQueryData(endpointQuery(api, '/api/providers/backup').queryKey, saved)
      announce('Thresholds saved')
    },
  })
  const { number, toggle, native } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Save" disabled={!form.isDirty()} px="md" pb="md">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {percents.map(({ name, label }) => (
          <Fragment key={name}>
            {number(name, label, {
              description: `Default: ${defaults[name]} %`,
              suffix: ' %',
              min: 0,
              max: 100,
            })}
          </Fragment>
        ))}
      </SimpleGrid>
      {toggle('auto_return', 'Return automatically', { description: 'As soon as usage of the first provider drops' })}
      {native('both_out', 'If the backup reaches its limit too', bothOut)}
    </EntityForm>
  )
}
