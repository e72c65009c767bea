import {
  Alert,
  Button,
  Collapse,
  Divider,
  Group,
  Paper,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { IconCheck, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type {
  FoundServer,
  ProviderAccess,
  ProviderId,
  TestResult,
} from '../../../runtime/providers/schema.ts'
import { readable } from '../../api/error.ts'
import { connectProvider } from '../../api/providers.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

interface Choice extends ProviderAccess {
  provider: ProviderId
}

interface StepProps {
  busy: boolean
  connect: (choice: Choice) => void
}

/** A local model server, the key of a vendor, or the built-in model. */
export function ProviderStep({ done }: { done: () => void }) {
  const api = useApi()
  const connect = useMutation({
    mutationFn: ({ provider, ...access }: Choice) => connectProvider(api, provider, access),
    meta: { shown: true },
  })
  return (
    <Stack>
      <Outcome result={connect.data} error={connect.error} done={done} />
      <Paper className="card" p="lg">
        <Title order={2} size="h5" mb="xs">
          On this machine
        </Title>
        <FoundServers busy={connect.isPending} connect={connect.mutate} />
      </Paper>
      <Paper className="card" p="lg">
        <Title order={2} size="h5" mb="xs">
          With a vendor’s API key
        </Title>
        <VendorForm busy={connect.isPending} connect={connect.mutate} />
      </Paper>
      <Divider label="or" />
      <Group justify="space-between" className="card" p="lg">
        <div className="words">
          <Title order={2} size="h5">
            No model for now
          </Title>
          <Text size="sm" c="dimmed">
            A small built-in model follows rules: it remembers, schedules, calculates and fetches pages.
          </Text>
        </div>
        <Button variant="default" onClick={done}>
          Continue offline
        </Button>
      </Group>
    </Stack>
  )
}

interface OutcomeProps {
  result: TestResult | undefined
  error: unknown
  done: () => void
}

function Outcome({ result, error, done }: OutcomeProps) {
  if (error)
    return (
      <Alert color="red" role="alert" title="Not connected">
        {readable(error)}
      </Alert>
    )
  if (!result) return null
  if (!result.ok) {
    return (
      <Alert color="red" role="alert" title="The model did not answer">
        <Text size="sm">
          {result.error ?? 'The vendor gave no reason'}. Your entry was saved; correct it and try again.
        </Text>
      </Alert>
    )
  }
  return (
    <Alert color="teal" role="status" icon={<IconCheck size={18} />} title="Connected">
      <Group justify="space-between">
        <Text size="sm">
          {result.model} answered in {result.latency_ms} ms.
        </Text>
        <Button onClick={done}>Continue</Button>
      </Group>
    </Alert>
  )
}

/** Ollama and OpenAI-compatible servers that respond on the daemon's machine. */
function FoundServers(props: StepProps) {
  const found = useEndpoint('/api/providers/discover', {}, { staleTime: 0 })
  if (found.isPending) return <SkeletonRows count={1} />
  if (found.isError)
    return <ErrorState what="Local servers" error={found.error} retry={() => found.refetch()} />
  if (found.data.servers.length > 0) {
    return (
      <Stack gap="sm">
        {found.data.servers.map((server) => (
          <Server key={server.base_url} server={server} {...props} />
        ))}
      </Stack>
    )
  }
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" className="words">
        No model server found. Start Ollama, LM Studio, llama.cpp or vLLM and search again.
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} />}
        loading={found.isFetching}
        onClick={() => found.refetch()}
      >
        Search again
      </Button>
    </Group>
  )
}

function Server({ server, busy, connect }: StepProps & { server: FoundServer }) {
  const [model, setModel] = useState<string | null>(server.models[0] ?? null)
  const use = () => connect({ provider: server.provider, base_url: server.base_url, default_model: model })
  return (
    <Group wrap="wrap" align="flex-end">
      <div className="words">
        <Text fw={500}>{server.name}</Text>
        <Text size="xs" c="dimmed" className="mono">
          {server.base_url}
        </Text>
      </div>
      <Select
        aria-label={`Model of ${server.name}`}
        data={server.models}
        value={model}
        onChange={setModel}
        searchable
        placeholder="No model is loaded"
        w={200}
      />
      <Button onClick={use} loading={busy} disabled={!model}>
        Use it
      </Button>
    </Group>
  )
}

function VendorForm({ busy, connect }: StepProps) {
  const providers = useEndpoint('/api/providers').data?.providers ?? []
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
          description="Encrypted on this machine, sent only to the vendor"
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
            {advanced ? 'Use the default address' : 'Use another address'}
          </UnstyledButton>
          <Button type="submit" loading={busy} disabled={!provider}>
            Test and save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
