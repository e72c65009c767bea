import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../api/error.ts'
import type { EmailTest } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SectionForm } from './section/index.tsx'

export const Email = () => (
  <SectionForm name="email" title="Mail server">
    <TestMail />
  </SectionForm>
)

function TestMail() {
  const api = useApi()
  const [to, setTo] = useState('')
  const test = useMutation({
    mutationFn: () => api.post('/api/settings/email/test', { body: to ? { to } : {} }),
    meta: { shown: true },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  return (
    <Panel title="Try it">
      <Stack component="form" onSubmit={submit} p="md" pt={4}>
        <Group align="flex-end">
          <TextInput
            flex={1}
            miw={200}
            type="email"
            label="Send a test mail to"
            placeholder="The sender itself"
            error={fieldErrors(test.error).to}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Button type="submit" loading={test.isPending}>
            Send
          </Button>
        </Group>
        <Outcome result={test.data} error={test.error} />
      </Stack>
    </Panel>
  )
}

function Outcome({ result, error }: { result: EmailTest | undefined; error: Error | null }) {
  if (error)
    return (
      <Alert color="red" role="alert">
        {readable(error)}
      </Alert>
    )
  if (!result) return null
  return result.ok ? (
    <Alert color="teal" role="status" title="The server took it">
      For {result.to}, in {result.latency_ms} ms.
    </Alert>
  ) : (
    <Alert color="red" role="alert" title="It was not sent">
      {result.error}
    </Alert>
  )
}
