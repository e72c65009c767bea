import { Badge, Button, Group, Progress, SimpleGrid, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../api/error.ts'
import { refresh } from '../../../api/live.ts'
import type { ProviderUsage, WindowUsage } from '../../../api/providers.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { Time } from '../../../parts/time.tsx'

interface ProviderLimitsProps {
  usage: ProviderUsage
  nameOf: (provider: string) => string
  edit: () => void
}

const heats = {
  cool: { label: 'Room left', color: 'teal' },
  near: { label: 'Near its limit', color: 'yellow' },
  out: { label: 'Limit reached', color: 'red' },
} as const

export function ProviderLimits({ usage, nameOf, edit }: ProviderLimitsProps) {
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
            · refused by the vendor until <Time at={hard_limit_until} />
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
  header: 'as the vendor says',
  estimated: 'estimated from your allowance',
  unknown: 'the vendor does not say; give an allowance to see an estimate',
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
            · begins anew <Time at={used.resets_at} />
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
      announceError(near ? new Error(`${error.message}. It can return once there is room again.`) : error)
    },
    onSettled: () => refresh(queries, '/api/providers/usage'),
  })
}
