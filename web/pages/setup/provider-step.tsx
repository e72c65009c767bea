import {
  Alert,
  Autocomplete,
  Button,
  Collapse,
  Divider,
  Group,
  Paper,
  Select,
  Stack,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { IconCheck, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ProviderId } from '../../../runtime/models/vendors/index.ts'
import type { FoundServer, Provider, ProviderAccess } from '../../../runtime/providers/schema.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { connectProvider, isFailedTest, keepProvider, modelsOf } from '../../api/providers.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { optionsFor } from '../../parts/options.ts'
import { Hint, Muted } from '../../parts/typography.tsx'

interface Choice extends ProviderAccess {
  provider: ProviderId
}

interface StepProps {
  busy: boolean
  error: unknown
  connect: (choice: Choice) => void
}

/** A local model server, the key of a vendor, or the built-in model. */
export function ProviderStep({ done }: { done: () => void }) {
  const api = useApi()
  const connect = useMutation({
    mutationFn: (choice: Choice) => connectProvider(api, choice),
    meta: { shown: true },
  })
  const keep = useMutation({ mutationFn: (choice: Choice) => keepProvider(api, choice), onSuccess: done })
  const step = { busy: connect.isPending, error: connect.error, connect: connect.mutate }
  return (
    <Stack>
      {connect.isError && (
        <NotConnected error={connect.error} keep={() => keep.mutate(connect.variables)} keeping={keep.isPending} />
      )}
      {connect.data && <Connected {...connect.data} change={connect.mutate} changing={connect.isPending} done={done} />}
      <Card title="On this machine">
        <FoundServers {...step} />
      </Card>
      <Card title="Use an API key">
        <VendorForm {...step} />
      </Card>
      <Divider label="or" />
      <Group justify="space-between" className="card" p="lg">
        <div className="words">
          <Title order={2} size="h5">
            Start without a model
          </Title>
          <Muted>A small built-in model follows rules: it remembers, schedules, calculates and fetches pages.</Muted>
        </div>
        <Button variant="default" onClick={done}>
          Continue offline
        </Button>
      </Group>
    </Stack>
  )
}

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper className="card" p="lg">
    <Title order={2} size="h5" mb="xs">
      {title}
    </Title>
    {children}
  </Paper>
)

interface NotConnectedProps {
  error: unknown
  keep: () => void
  keeping: boolean
}

/** A provider that failed its test is stored only on request. */
const NotConnected = ({ error, keep, keeping }: NotConnectedProps) => (
  <Alert color="red" role="alert" title="Not connected">
    <Text size="sm">{readable(error)}</Text>
    {isFailedTest(error) && (
      <Group mt="xs" justify="space-between">
        <Text size="sm">Correct your entry and try again, or continue offline.</Text>
        <SmallButton loading={keeping} onClick={keep}>
          Save anyway
        </SmallButton>
      </Group>
    )}
  </Alert>
)

interface ConnectedProps extends Provider {
  change: (choice: Choice) => void
  changing: boolean
  done: () => void
}

/** A server of one's own offers its models, of which the first was tested. */
const Connected = ({ id, base_url, models, default_model, last_test, ...rest }: ConnectedProps) => (
  <Alert color="teal" role="status" icon={<IconCheck size={18} />} title="Connected">
    <Group justify="space-between">
      <Text size="sm">
        {last_test?.model ?? default_model} answered in {last_test?.latency_ms} ms.
      </Text>
      {base_url && models.length > 1 && (
        <Select
          aria-label="Default model"
          data={models.map((model) => model.id)}
          value={default_model}
          onChange={(model) => model && rest.change({ provider: id, default_model: model })}
          disabled={rest.changing}
          limit={100}
          searchable
          w={220}
        />
      )}
      <Button onClick={rest.done}>Continue</Button>
    </Group>
  </Alert>
)

/** Ollama and OpenAI-compatible servers that answer on the machine of the daemon. */
function FoundServers(props: StepProps) {
  const found = useEndpoint('/api/providers/discover', {}, { staleTime: 0 })
  return (
    <Loaded query={found} what="Local servers" skeleton={<SkeletonRows count={1} />}>
      {({ servers }) =>
        servers.length > 0 ? (
          <Stack gap="sm">
            {servers.map((server) => (
              <Server key={server.base_url} server={server} {...props} />
            ))}
          </Stack>
        ) : (
          <Group justify="space-between">
            <Muted className="words">
              No model server found. Start Ollama, LM Studio, llama.cpp or vLLM and search again.
            </Muted>
            <SmallButton icon={IconRefresh} loading={found.isFetching} onClick={() => found.refetch()}>
              Search again
            </SmallButton>
          </Group>
        )
      }
    </Loaded>
  )
}

function Server({ server, busy, connect }: StepProps & { server: FoundServer }) {
  const { name, base_url, models, provider } = server
  const [model, setModel] = useState<string | null>(models[0] ?? null)
  return (
    <Group wrap="wrap" align="flex-end">
      <div className="words">
        <Text fw={500}>{name}</Text>
        <Hint className="mono">{base_url}</Hint>
      </div>
      <Select
        aria-label={`Model of ${name}`}
        data={models}
        value={model}
        onChange={setModel}
        searchable
        placeholder="No model is loaded"
        w={200}
      />
      <Button onClick={() => connect({ provider, base_url, default_model: model })} loading={busy} disabled={!model}>
        Use it
      </Button>
    </Group>
  )
}

function VendorForm({ busy, error, connect }: StepProps) {
  const providers = useEndpoint('/api/providers').data?.providers ?? []
  const [advanced, setAdvanced] = useState(false)
  const form = useApiForm({
    initial: { provider: null as ProviderId | null, api_key: '', base_url: '', default_model: '' },
    async save({ provider, api_key, base_url, default_model }) {
      const own = base_url && { base_url, ...(default_model && { default_model }) }
      if (provider) connect({ provider, ...(api_key && { api_key }), ...own })
    },
  })
  const { select, password, text } = inputsOf(form)
  const { provider, base_url } = form.values
  const local = providers.find(({ id }) => id === provider)?.kind === 'local'
  return (
    <Stack gap="sm" component="form" onSubmit={form.submit}>
      {select('provider', 'Vendor', optionsFor(providers), {
        ...required,
        placeholder: 'Choose one',
        searchable: true,
      })}
      {password('api_key', 'API key', {
        ...required,
        description: 'Encrypted on this machine, sent only to the vendor',
        required: !local && !base_url,
      })}
      <Collapse expanded={advanced}>
        {text('base_url', 'Base URL', {
          description: 'For a compatible server: LM Studio, vLLM, llama.cpp, LiteLLM',
          type: 'url',
          placeholder: 'http://127.0.0.1:1234/v1',
        })}
        {base_url !== '' && (
          <Autocomplete
            label="Model"
            placeholder="The first model on the server’s list"
            data={modelsOf(error) ?? []}
            limit={100}
            mt="sm"
            {...form.getInputProps('default_model')}
            error={fieldErrors(error).default_model}
          />
        )}
      </Collapse>
      <Group justify="space-between">
        <UnstyledButton
          fz="sm"
          c="dimmed"
          td="underline"
          onClick={() => setAdvanced(!advanced)}
          aria-expanded={advanced}
        >
          {advanced ? 'Use the default address' : 'Use a custom server'}
        </UnstyledButton>
        <Button type="submit" loading={busy} disabled={!provider}>
          Test and save
        </Button>
      </Group>
    </Stack>
  )
}
