import { Alert } from '@mantine/core'
import type { EmailTest } from '../../../runtime/settings/email.ts'
import { useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Panel } from '../../parts/page.tsx'
import { SectionForm } from './section-form.tsx'

export const Email = () => (
  <SectionForm name="email" title="Mail server">
    <TestMail />
  </SectionForm>
)

function TestMail() {
  const api = useApi()
  const form = useApiForm({
    initial: { to: '' },
    save: ({ to }) => api.post('/api/settings/email/test', { body: to ? { to } : {} }),
  })
  const { text } = inputsOf(form)
  return (
    <Panel title="Test">
      <EntityForm form={form} verb="Send" p="md" pt={4}>
        {text('to', 'Send a test email to', { type: 'email', placeholder: 'Default: the sender' })}
        {form.result && <Outcome result={form.result} />}
      </EntityForm>
    </Panel>
  )
}

const Outcome = ({ result: { ok, to, latency_ms, error } }: { result: EmailTest }) =>
  ok ? (
    <Alert color="teal" role="status" title="Test email sent">
      To {to}, in {latency_ms} ms.
    </Alert>
  ) : (
    <Alert color="red" role="alert" title="The email was not sent">
      {error}
    </Alert>
  )

export function Security() {
  const refresh = useRefresh()
  const button = (
    <ConfirmByName
      name="security"
      what="section"
      verb="Reset"
      effect="All limits return to their defaults. Lists of folders, commands and patterns are cleared."
      run={(api) => api.post('/api/settings/security/reset')}
      done={() => {
        announce('Security settings were reset')
        return refresh('/api/settings')
      }}
    >
      {(ask) => <SmallButton onClick={ask}>Reset</SmallButton>}
    </ConfirmByName>
  )
  return <SectionForm name="security" title="Agent and sign-in limits" action={button} />
}
