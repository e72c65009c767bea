import { Autocomplete, Group, Modal } from '@mantine/core'
import type { Provider, ProviderUsage } from '../../../runtime/providers/schema.ts'
import { useApi } from '../../app/services.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Muted } from '../../parts/typography.tsx'

interface BackupFormProps {
  usage: ProviderUsage
  providers: readonly Provider[]
  close: () => void
}

/** The backup of a provider, and the limits of its plan if the vendor does not report them. */
export function BackupForm({ usage, providers, close }: BackupFormProps) {
  const form = useBackupForm(usage, close)
  const { select, optionalNumber } = inputsOf(form)
  const others = providers.filter(({ id, configured }) => id !== usage.provider && configured)
  const backup = providers.find(({ id }) => id === form.values.provider)
  const choose = (provider: string | null) => {
    const chosen = others.find(({ id }) => id === provider)
    form.setValues({ provider, model: chosen?.default_model ?? chosen?.models[0]?.id ?? '' })
  }
  const name = providers.find(({ id }) => id === usage.provider)?.name ?? usage.provider
  return (
    <Modal opened onClose={close} title={`Limits of ${name}`}>
      <EntityForm form={form} verb="Save" close={close}>
        {select(
          'provider',
          'Backup',
          others.map(({ id, name: label }) => ({ value: id, label })),
          {
            description: others.length === 0 ? 'Set up a second provider first' : undefined,
            placeholder: 'None',
            clearable: true,
            onChange: choose,
          },
        )}
        {form.values.provider && (
          <Autocomplete
            label="Model of the backup"
            required
            withAsterisk={false}
            limit={50}
            data={(backup?.models ?? []).map(({ id }) => id)}
            {...form.getInputProps('model')}
          />
        )}
        <Muted>If the vendor does not report usage, it is estimated from the limits of your plan:</Muted>
        <Group grow align="flex-start">
          {optionalNumber('five_hour_tokens', 'Tokens per 5 hours', allowance)}
          {optionalNumber('seven_day_tokens', 'Tokens per 7 days', allowance)}
        </Group>
      </EntityForm>
    </Modal>
  )
}

const allowance = { placeholder: 'Unknown', min: 1, thousandSeparator: ' ' }

function useBackupForm({ provider: id, backup, allowance: known }: ProviderUsage, close: () => void) {
  const api = useApi()
  return useApiForm({
    initial: { provider: backup?.provider ?? null, model: backup?.model ?? '', ...known } as Values,
    async save({ provider, model, ...body }, { five_hour_tokens, seven_day_tokens }) {
      const rule = provider ? { provider, model } : null
      await api.put('/api/providers/backup', { body: { rules: { [id]: rule } } })
      if (five_hour_tokens === undefined && seven_day_tokens === undefined) return
      await api.put('/api/providers/{id}/allowance', { params: { id }, body })
    },
    stale: ['/api/providers/usage', '/api/providers/backup'],
    saved: close,
    fieldOf: (path) => (path.startsWith('rules') ? 'provider' : path),
  })
}

interface Values extends Record<string, unknown> {
  provider: string | null
  model: string
  five_hour_tokens: number | null
  seven_day_tokens: number | null
}
