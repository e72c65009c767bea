import { Autocomplete, Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { providersQuery } from '../../api/providers.ts'
import { useApi } from '../../app/services.tsx'

export interface Choice {
  provider: string | null
  model: string | null
}

interface ModelChoiceProps {
  value: Choice
  change: (choice: Choice) => void
  label: string
  /** Shown while no provider is chosen. */
  placeholder: string
  error?: string | undefined
}

/** A provider and one of its models. A name that the list lacks can be typed: vendors add models every week. */
export function ModelChoice({ value, change, label, placeholder, error }: ModelChoiceProps) {
  const list = useQuery(providersQuery(useApi())).data
  const chosen = list?.providers.find(({ id }) => id === value.provider)
  const providers = [
    ...(list ? [{ value: list.builtin.id as string, label: list.builtin.name }] : []),
    ...(list?.providers ?? []).map(({ id, name, configured }) => ({
      value: id as string,
      label: configured ? name : `${name} (not set up)`,
    })),
  ]
  return (
    <Group grow align="flex-start" gap="sm">
      <Select
        label={label}
        data={providers}
        value={value.provider}
        placeholder={placeholder}
        clearable
        searchable
        error={error}
        onChange={(provider) => change({ provider, model: null })}
      />
      <Autocomplete
        label="Model"
        value={value.model ?? ''}
        placeholder={chosen?.default_model ?? 'The provider’s default'}
        data={(chosen?.models ?? []).map(({ id }) => id)}
        limit={50}
        disabled={!value.provider || value.provider === 'offline'}
        onChange={(model) => change({ ...value, model: model || null })}
      />
    </Group>
  )
}
