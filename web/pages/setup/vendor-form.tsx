import {
  Button,
  Collapse,
  Group,
  PasswordInput,
  Select,
  Stack,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type ProviderId, providersQuery } from '../../api/providers.ts'
import { useApi } from '../../app/services.tsx'
import type { Choice } from './provider-step.tsx'

interface VendorFormProps {
  busy: boolean
  connect: (choice: Choice) => void
}

export function VendorForm({ busy, connect }: VendorFormProps) {
  const providers = useQuery(providersQuery(useApi())).data?.providers ?? []
  const [provider, setProvider] = useState<ProviderId | null>(null)
  const [key, setKey] = useState('')
  const [address, setAddress] = useState('')
  const [advanced, setAdvanced] = useState(false)
  const local = providers.find(({ id }) => id === provider)?.kind === 'local'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (provider) connect({ provider, ...(key && { api_key: key }), ...(address && { base_url: address }) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          label="Vendor"
          placeholder="Choose one"
          required
          withAsterisk={false}
          searchable
          value={provider}
          data={providers.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value) => setProvider(value as ProviderId | null)}
        />
        <PasswordInput
          label="API key"
          description="Encrypted on this machine, sent to the vendor only"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          required={!local && !address}
          withAsterisk={false}
        />
        <Collapse expanded={advanced}>
          <TextInput
            label="Base URL"
            description="For a compatible server: LM Studio, vLLM, llama.cpp, LiteLLM"
            type="url"
            placeholder="http://127.0.0.1:1234/v1"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
        </Collapse>
        <Group justify="space-between">
          <UnstyledButton
            fz="sm"
            c="dimmed"
            td="underline"
            onClick={() => setAdvanced(!advanced)}
            aria-expanded={advanced}
          >
            {advanced ? 'No other address' : 'Another address'}
          </UnstyledButton>
          <Button type="submit" loading={busy} disabled={!provider}>
            Test and save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
