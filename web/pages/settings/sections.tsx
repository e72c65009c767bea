import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { EmailTest } from '../../../runtime/settings/email.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useChange } from '../../parts/use-change.ts'
import { SectionForm } from './section-form.tsx'

export const AgentSettings = () => <SectionForm name="agent" title="How agents answer" />
export const InterfaceSettings = () => <SectionForm name="interface" title="The interface" />
export const StrategySettings = () => <SectionForm name="strategy" title="How complex tasks are handled" />
export const ProactiveSettings = () => (
  <SectionForm name="proactive" title="What agents may start on their own" />
)
export const MemorySettings = () => <SectionForm name="memory" title="What is remembered" />

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
    <Panel title="Test">
      <Stack component="form" onSubmit={submit} p="md" pt={4}>
        <Group align="flex-end">
          <TextInput
            flex={1}
            miw={200}
            type="email"
            label="Send a test mail to"
            placeholder="Default: the sender"
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
    <Alert color="teal" role="status" title="Test mail sent">
      To {result.to}, in {result.latency_ms} ms.
    </Alert>
  ) : (
    <Alert color="red" role="alert" title="The mail was not sent">
      {result.error}
    </Alert>
  )
}

export function Security() {
  const [asked, setAsked] = useState(false)
  const reset = useChange((api) => api.post('/api/settings/security/reset'), {
    stale: ['/api/settings'],
    done: () => announce('Security settings were reset'),
  })
  const button = (
    <Button size="xs" variant="default" onClick={() => setAsked(true)}>
      Reset
    </Button>
  )
  return (
    <>
      <SectionForm name="security" title="Agent and sign-in limits" action={button} />
      <ConfirmByName
        name={asked ? 'security' : null}
        what="section"
        verb="Reset"
        pending={reset.isPending}
        confirm={() => reset.mutate(undefined, { onSettled: () => setAsked(false) })}
        close={() => setAsked(false)}
      >
        Lists of folders, commands and patterns are cleared.
      </ConfirmByName>
    </>
  )
}
