import { Autocomplete, Drawer, Group } from '@mantine/core'
import type { Provider } from '../../../runtime/providers/schema.ts'
import { readable } from '../../api/error.ts'
import { connectProvider, isFailedTest, keepProvider, modelsOf } from '../../api/providers.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { counted } from '../../parts/numbers.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const stale = ['/api/providers']

export function ProviderDrawer({ provider, close }: { provider: Provider; close: () => void }) {
  const { id, name } = provider
  const { form, keep } = useAccessForm(provider, close)
  const { password, text } = inputsOf(form)
  const remove = useChange((api) => api.delete('/api/providers/{id}/key', { params: { id } }), {
    stale,
    done: close,
  })
  const removal = provider.configured && {
    name,
    what: 'provider',
    verb: 'Remove',
    effect: 'The key is deleted. Agents that use this provider fall back to another.',
    run: remove,
  }
  return (
    <Drawer opened onClose={close} position="right" title={name}>
      <EntityForm form={form} verb="Test and save" close={close} remove={removal}>
        {isFailedTest(form.error) && (
          <Group>
            <ActionButton run={keep}>Save anyway</ActionButton>
          </Group>
        )}
        {password('api_key', 'API key', {
          placeholder: provider.key_hint ?? undefined,
          description: provider.key_hint
            ? 'Leave empty to keep the current key'
            : 'Stored encrypted, sent only to the vendor',
        })}
        {text('base_url', 'Base URL', {
          type: 'url',
          description: 'Only for a compatible server: LM Studio, vLLM, llama.cpp, LiteLLM',
        })}
        <DefaultModel
          provider={provider}
          offered={modelsOf(form.error) ?? (isMoved(provider, form.values.base_url) ? [] : undefined)}
          field={form.getInputProps('default_model')}
        />
      </EntityForm>
    </Drawer>
  )
}

function useAccessForm(provider: Provider, close: () => void) {
  const api = useApi()
  const form = useApiForm({
    initial: {
      api_key: '',
      base_url: provider.base_url ?? '',
      // Without an address of its own, the first model of the vendor's list is only a suggestion.
      default_model: (provider.configured && provider.default_model) || '',
    },
    save: (values) => connectProvider(api, accessOf(provider, values)),
    stale,
    saved: close,
  })
  const keep = useChange((changing) => keepProvider(changing, accessOf(provider, form.getValues())), {
    stale,
    done: close,
  })
  return { form, keep }
}

const accessOf = (
  { id }: Provider,
  { api_key, base_url, default_model }: { api_key: string; base_url: string; default_model: string },
) => ({
  provider: id,
  ...(api_key && { api_key }),
  base_url: base_url || null,
  default_model: default_model || null,
})

/** Models of another server are unknown until it is saved: its first is the default, unless one is named. */
const isMoved = (provider: Provider, base_url: string) => (provider.base_url ?? '') !== base_url

interface DefaultModelProps {
  provider: Provider
  /** Replaces the list of the provider. */
  offered: string[] | undefined
  field: object
}

function DefaultModel({ provider, offered, field }: DefaultModelProps) {
  const models = useEndpoint(
    '/api/providers/{id}/models',
    { params: { id: provider.id } },
    { enabled: provider.configured, retry: false, staleTime: 5 * 60_000 },
  )
  return (
    <div>
      <Autocomplete
        label="Default model"
        limit={100}
        data={offered ?? (models.data?.models ?? provider.models).map(({ id }) => id)}
        placeholder="First in the list"
        description={models.isFetching ? 'Loading the list…' : models.isError ? readable(models.error) : undefined}
        {...field}
      />
      {models.data && <Hint mt={4}>{counted(models.data.count, 'model', 'models')}</Hint>}
    </div>
  )
}
