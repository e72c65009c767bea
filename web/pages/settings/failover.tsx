import {
  Alert,
  Badge,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Progress,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import type { Provider, ProviderUsage, WindowUsage } from '../../../runtime/providers/schema.ts'
import type { AnswerOf, InputOf } from '../../api/client.ts'
import { ApiError, fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { endpointQuery, useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

type BackupView = AnswerOf<'GET', '/api/providers/backup'>
type BackupChange = InputOf<'PUT', '/api/providers/backup'>['body']

const BackupForm = lazy(async () => ({ default: (await import('./backup-form.tsx')).BackupForm }))

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
      Shows the usage of each provider that is set up.
    </Text>
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
  const { provider, heat, failed_over, failed_over_at, backup, hard_limit_until } = usage
  const name = nameOf(provider)
  const { label, color } = heats[heat.level]
  const giveBack = useReturn(provider, name)
  return (
    <article className="row" style={{ display: 'block' }} aria-label={`Limits of ${name}`}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Group gap="xs">
          <Text fw={500}>{name}</Text>
          {usage.source !== 'unknown' && (
            <Badge size="sm" variant="light" color={color}>
              {label}
            </Badge>
          )}
          {failed_over && (
            <Badge size="sm" variant="light" color="yellow">
              Failed over
            </Badge>
          )}
        </Group>
        <Group gap="xs">
          {failed_over && (
            <Button
              size="xs"
              variant="default"
              loading={giveBack.isPending}
              onClick={() => giveBack.mutate()}
            >
              Return now
            </Button>
          )}
          <Button size="xs" variant="default" onClick={edit}>
            {backup ? 'Edit' : 'Set a backup'}
          </Button>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="xs">
        <Window label="5 hours" name={name} used={usage.five_hour} color={color} />
        <Window label="7 days" name={name} used={usage.seven_day} color={color} />
      </SimpleGrid>
      <Text size="xs" c="dimmed" component="div" mt={6}>
        {backup ? `Backup: ${nameOf(backup.provider)}, ${backup.model}` : 'No backup'}
        {failed_over_at && (
          <>
            {' '}
            · took over <Time at={failed_over_at} />
          </>
        )}
        {hard_limit_until && (
          <>
            {' '}
            · rate-limited by the vendor until <Time at={hard_limit_until} />
          </>
        )}
      </Text>
    </article>
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
  estimated: 'estimated from your allowance',
  unknown: 'not reported by the vendor; enter an allowance to see an estimate',
}

function Window({ label, name, used, color }: WindowProps) {
  const percent = used.utilization === null ? null : Math.round(used.utilization * 100)
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {percent === null ? 'unknown' : `${percent} %`}
        </Text>
      </Group>
      <Progress
        value={Math.min(100, percent ?? 0)}
        color={color}
        aria-label={`${name}: used in ${label}`}
        my={2}
      />
      <Text size="xs" c="dimmed" component="div">
        {sources[used.source]}
        {used.resets_at && (
          <>
            {' '}
            · resets <Time at={used.resets_at} />
          </>
        )}
      </Text>
    </div>
  )
}

function useReturn(provider: string, name: string) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => api.post('/api/providers/backup/{id}/return', { params: { id: provider } }),
    meta: { shown: true },
    onSuccess: () => announce(`${name} answers again`),
    onError(error) {
      const near = error instanceof ApiError && error.status === 409
      announceError(near ? new Error(`${error.message}. It can return when its usage drops.`) : error)
    },
    onSettled: () => refresh(queries, '/api/providers/usage'),
  })
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

function Thresholds({ settings }: { settings: BackupView }) {
  const { defaults } = settings
  const [changes, setChanges] = useState<BackupChange>({})
  const save = useSave(() => setChanges({}))
  const errors = fieldErrors(save.error)
  const values = { ...settings, ...changes }
  const change = (more: BackupChange) => setChanges({ ...changes, ...more })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <Stack component="form" onSubmit={submit} px="md" pb="md">
      {save.isError && Object.keys(errors).length === 0 && (
        <Alert color="red" role="alert">
          {readable(save.error)}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {percents.map(({ name, label }) => (
          <NumberInput
            key={name}
            label={label}
            description={`Default: ${defaults[name]} %`}
            suffix=" %"
            min={0}
            max={100}
            error={errors[name]}
            value={values[name]}
            onChange={(value) => change({ [name]: Number(value) })}
          />
        ))}
      </SimpleGrid>
      <Switch
        label="Return automatically"
        description="As soon as usage of the first provider drops"
        checked={values.auto_return}
        onChange={(event) => change({ auto_return: event.currentTarget.checked })}
      />
      <NativeSelect
        label="If the backup reaches its limit too"
        data={bothOut}
        value={values.both_out}
        error={errors.both_out}
        onChange={(event) => change({ both_out: event.currentTarget.value as BackupView['both_out'] })}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={save.isPending} disabled={Object.keys(changes).length === 0}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

function useSave(done: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changes: BackupChange) => api.put('/api/providers/backup', { body: changes }),
    meta: { shown: true },
    onSuccess(saved) {
      queries.setQueryData(endpointQuery(api, '/api/providers/backup').queryKey, saved)
      announce('Thresholds saved')
      done()
    },
  })
}
