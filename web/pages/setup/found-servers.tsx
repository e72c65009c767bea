import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { discoverQuery, type FoundServer } from '../../api/providers.ts'
import { useApi } from '../../app/services.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { Choice } from './provider-step.tsx'

interface FoundServersProps {
  busy: boolean
  connect: (choice: Choice) => void
}

/** Ollama and OpenAI-compatible servers that answer beside the daemon. */
export function FoundServers({ busy, connect }: FoundServersProps) {
  const found = useQuery(discoverQuery(useApi()))
  if (found.isPending) return <SkeletonRows count={1} />
  if (found.isError)
    return <ErrorState what="Local servers" error={found.error} retry={() => found.refetch()} />
  if (found.data.servers.length > 0) {
    return (
      <Stack gap="sm">
        {found.data.servers.map((server) => (
          <Server key={server.base_url} {...{ server, busy, connect }} />
        ))}
      </Stack>
    )
  }
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" className="words">
        No model server answers here. Start Ollama, LM Studio, llama.cpp or vLLM and look again.
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} />}
        loading={found.isFetching}
        onClick={() => found.refetch()}
      >
        Look again
      </Button>
    </Group>
  )
}

function Server({ server, busy, connect }: FoundServersProps & { server: FoundServer }) {
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
