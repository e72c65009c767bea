import {
  Alert,
  Autocomplete,
  Button,
  Drawer,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Provider, ProviderAccess } from '../../../runtime/providers/schema.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { connectProvider } from '../../api/providers.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { counted } from '../../parts/numbers.ts'

export function ProviderDrawer({ provider, close }: { provider: Provider | null; close: () => void }) {
  return (
    <Drawer opened={provider !== null} onClose={close} position="right" title={provider?.name}>
      {provider && <ProviderForm key={provider.id} provider={provider} close={close} />}
    </Drawer>
  )
}

function ProviderForm({ provider, close }: { provider: Provider; close: () => void }) {
  const [key, setKey] = useState('')
  const [address, setAddress] = useState(provider.base_url ?? '')
  const [model, setModel] = useState(provider.default_model ?? '')
  const models = useEndpoint(
    '/api/providers/{id}/models',
    { params: { id: provider.id } },
    { enabled: provider.configured, retry: false, staleTime: 5 * 60_000 },
  )
  const { save, remove } = useAccess(provider, close)
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ ...(key && { api_key: key }), base_url: address || null, default_model: model || null })
  }
  return (
    <>
      <Stack component="form" onSubmit={submit}>
        {save.isError && Object.keys(errors).length === 0 && (
          <Alert color="red" role="alert">
            {readable(save.error)}
          </Alert>
        )}
        {save.data && !save.data.ok && (
          <Alert color="red" role="alert" title="Saved, but the test failed">
            {save.data.error}
          </Alert>
        )}
        <PasswordInput
          label="API key"
          autoComplete="off"
          error={errors.api_key}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          placeholder={provider.key_hint ?? undefined}
          description={
            provider.key_hint
              ? 'Leave empty to keep the current key'
              : 'Stored encrypted, sent only to the vendor'
          }
        />
        <TextInput
          label="Base URL"
          type="url"
          error={errors.base_url}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          description="Only for a compatible server: LM Studio, vLLM, llama.cpp, LiteLLM"
        />
        <Autocomplete
          label="Default model"
          error={errors.default_model}
          value={model}
          onChange={setModel}
          limit={100}
          data={(models.data?.models ?? provider.models).map(({ id }) => id)}
          placeholder="First in the list"
          description={
            models.isFetching ? 'Asking for the list…' : models.isError ? readable(models.error) : undefined
          }
        />
        <Group justify="space-between">
          {provider.configured ? (
            <Button variant="subtle" color="red" onClick={remove.ask}>
              Remove
            </Button>
          ) : (
            <span />
          )}
          <Group gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save and test
            </Button>
          </Group>
        </Group>
        {models.data && (
          <Text size="xs" c="dimmed">
            {counted(models.data.count, 'model', 'models')}
          </Text>
        )}
      </Stack>
      <ConfirmByName
        name={remove.asked ? provider.name : null}
        what="provider"
        verb="Remove"
        pending={remove.isPending}
        confirm={remove.confirm}
        close={remove.cancel}
      >
        The key is deleted. Agents that use this provider fall back to another.
      </ConfirmByName>
    </>
  )
}

function useAccess(provider: Provider, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const refetch = () => refresh(queries, '/api/providers')
  const save = useMutation({
    mutationFn: (access: ProviderAccess) => connectProvider(api, provider.id, access),
    meta: { shown: true },
    onSuccess: ({ ok }) => ok && close(),
    onSettled: refetch,
  })
  const erase = useMutation({
    mutationFn: () => api.delete('/api/providers/{id}/key', { params: { id: provider.id } }),
    onSuccess: close,
    onSettled: refetch,
  })
  const remove = {
    asked,
    isPending: erase.isPending,
    ask: () => setAsked(true),
    cancel: () => setAsked(false),
    confirm: () => erase.mutate(),
  }
  return { save, remove }
}
