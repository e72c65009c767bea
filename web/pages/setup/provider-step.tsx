import { Alert, Button, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { readable } from '../../api/error.ts'
import {
  connectProvider,
  type ProviderAccess,
  type ProviderId,
  type TestResult,
} from '../../api/providers.ts'
import { useApi } from '../../app/services.tsx'
import { FoundServers } from './found-servers.tsx'
import { VendorForm } from './vendor-form.tsx'

export interface Choice extends ProviderAccess {
  provider: ProviderId
}

/** A local server that was found, a vendor's key, or no model server at all. */
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
          With a vendor's key
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
            A small built-in model follows rules: it remembers, schedules, calculates and fetches, without any
            network.
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
      <Alert color="red" role="alert" title="That did not work">
        {readable(error)}
      </Alert>
    )
  if (!result) return null
  if (!result.ok) {
    return (
      <Alert color="red" role="alert" title="The model did not answer">
        <Text size="sm">
          {result.error ?? 'The vendor gave no reason'}. Your entry is stored; correct it and try again.
        </Text>
      </Alert>
    )
  }
  return (
    <Alert color="teal" role="status" icon={<IconCheck size={18} />} title="It answers">
      <Group justify="space-between">
        <Text size="sm">
          {result.model} answered in {result.latency_ms} ms.
        </Text>
        <Button onClick={done}>Continue</Button>
      </Group>
    </Alert>
  )
}
