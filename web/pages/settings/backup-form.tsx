import { Alert, Autocomplete, Button, Group, Modal, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Allowance, ModelName, Provider, ProviderUsage } from '../../../runtime/providers/schema.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'

interface BackupFormProps {
  usage: ProviderUsage
  providers: readonly Provider[]
  close: () => void
}

/** The backup of a provider, and the limits of its plan if the vendor does not report them. */
export function BackupForm({ usage, providers, close }: BackupFormProps) {
  const [rule, setRule] = useState<Partial<ModelName>>(usage.backup ?? {})
  const [allowance, setAllowance] = useState<Allowance>(usage.allowance)
  const save = useSave(usage, close)
  const errors = fieldErrors(save.error)
  const name = providers.find(({ id }) => id === usage.provider)?.name ?? usage.provider
  const others = providers.filter(({ id, configured }) => id !== usage.provider && configured)
  const backup = providers.find(({ id }) => id === rule.provider)
  const ruleError = Object.entries(errors).find(([path]) => path.startsWith('rules'))?.[1]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { provider, model = '' } = rule
    save.mutate({ rule: provider ? { provider, model } : null, allowance })
  }
  return (
    <Modal opened onClose={close} title={`Limits of ${name}`}>
      <Stack component="form" onSubmit={submit}>
        {save.isError && Object.keys(errors).length === 0 && (
          <Alert color="red" role="alert">
            {readable(save.error)}
          </Alert>
        )}
        <Select
          label="Backup"
          description={others.length === 0 ? 'Set up a second provider first' : undefined}
          placeholder="None"
          clearable
          data={others.map(({ id, name: label }) => ({ value: id, label }))}
          value={rule.provider ?? null}
          error={ruleError}
          onChange={(provider) => setRule(ruleFor(others.find(({ id }) => id === provider)))}
        />
        {rule.provider && (
          <Autocomplete
            label="Backup model"
            required
            withAsterisk={false}
            limit={50}
            data={(backup?.models ?? []).map(({ id }) => id)}
            value={rule.model ?? ''}
            onChange={(model) => setRule({ ...rule, model })}
          />
        )}
        <Text size="sm" c="dimmed">
          If the vendor does not report usage, it is estimated from the limits of your plan:
        </Text>
        <Group grow align="flex-start">
          {windows.map(({ key, label }) => (
            <NumberInput
              key={key}
              label={label}
              placeholder="Unknown"
              min={1}
              allowDecimal={false}
              thousandSeparator=" "
              error={errors[key]}
              value={allowance[key] ?? ''}
              onChange={(value) => setAllowance({ ...allowance, [key]: value === '' ? null : Number(value) })}
            />
          ))}
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const windows = [
  { key: 'five_hour_tokens', label: 'Tokens per 5 hours' },
  { key: 'seven_day_tokens', label: 'Tokens per 7 days' },
] as const

const ruleFor = (provider: Provider | undefined): Partial<ModelName> =>
  provider ? { provider: provider.id, model: provider.default_model ?? provider.models[0]?.id ?? '' } : {}

function useSave({ provider, allowance: old }: ProviderUsage, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    async mutationFn({ rule, allowance }: { rule: ModelName | null; allowance: Allowance }) {
      await api.put('/api/providers/backup', { body: { rules: { [provider]: rule } } })
      if (JSON.stringify(allowance) === JSON.stringify(old)) return
      await api.put('/api/providers/{id}/allowance', { params: { id: provider }, body: allowance })
    },
    meta: { shown: true },
    onSuccess: close,
    onSettled: () =>
      Promise.all(['/api/providers/usage', '/api/providers/backup'].map((path) => refresh(queries, path))),
  })
}
