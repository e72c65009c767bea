import { Anchor, Button, Center, Code, Loader, PasswordInput, Stack, Stepper, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link, Redirect, useLocation, useParams } from 'wouter'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useServices, useSession } from '../../app/services.tsx'
import { AccountForm } from '../../parts/account-form.tsx'
import { useApiForm } from '../../parts/form.tsx'
import { FrontPage } from '../../parts/front-page.tsx'
import { ErrorState } from '../../parts/list.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Muted } from '../../parts/typography.tsx'
import { ProviderStep } from './provider-step.tsx'

const steps = ['account', 'provider', 'done']
const titles = ['Welcome to hearthd', 'Choose a model', 'Setup complete']
const descriptions = [
  'Setup takes two minutes. Everything stays on this machine.',
  'Choose the model that answers. You can add more or change it later.',
  'This is your first API key, for scripts and other programs. The browser does not need it.',
]

/** The setup: account, model, done. The step is in the URL, so back and reload work. */
export function Setup() {
  const { step } = useParams<{ step?: string }>()
  const [, navigate] = useLocation()
  const signedIn = useSession() !== null
  const bootstrap = useEndpoint('/api/auth/bootstrap', {}, { staleTime: 0 })
  const [firstKey, setFirstKey] = useState<string | null>(null)
  const current = Math.max(0, steps.indexOf(step ?? 'account'))

  if (bootstrap.isError) return <ErrorState error={bootstrap.error} retry={() => bootstrap.refetch()} />
  if (!bootstrap.data)
    return (
      <Center mih="100dvh">
        <Loader />
      </Center>
    )
  if (!signedIn && !bootstrap.data.bootstrap_mode) return <Redirect to="/login" replace />
  if (signedIn && current === 0) return <Redirect to="/setup/provider" replace />
  if (!signedIn && current > 0) return <Redirect to={`/setup${location.hash}`} replace />
  return (
    <FrontPage
      wide
      title={titles[current] ?? ''}
      description={current === 2 && !firstKey ? undefined : descriptions[current]}
    >
      <Stepper active={current} size="xs" mb="lg" wrap={false} allowNextStepsSelect={false} aria-label="Steps">
        <Stepper.Step label="Account" />
        <Stepper.Step label="Model" />
        <Stepper.Step label="Done" />
      </Stepper>
      {current === 0 && (
        <AccountStep
          tokenRequired={bootstrap.data.setup_token_required}
          done={(key) => {
            setFirstKey(key)
            navigate('/setup/provider', { replace: true })
          }}
        />
      )}
      {current === 1 && <ProviderStep done={() => navigate('/setup/done')} />}
      {current === 2 && <DoneStep firstKey={firstKey} />}
    </FrontPage>
  )
}

interface AccountStepProps {
  tokenRequired: boolean
  /** Receives the first API key. */
  done: (key: string) => void
}

/** Creates the first user, who is the administrator. */
function useAccountForm(setupToken: string, done: AccountStepProps['done']) {
  const { api, session } = useServices()
  const refresh = useRefresh()
  return useApiForm({
    initial: { display_name: '', username: '', password: '' },
    async save(values) {
      const created = await api.post('/api/setup/admin', {
        body: { ...values, display_name: values.display_name || undefined },
        ...(setupToken && { headers: { 'x-setup-token': setupToken } }),
      })
      return { ...created, display_name: values.display_name }
    },
    async saved({ session: signedIn, user, api_key, display_name }) {
      session.set({ ...signedIn, user_id: user.id })
      done(api_key.key)
      await refresh('/api/auth/bootstrap')
      // The browser's zone is the best guess for schedules; the profile page can change it.
      const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
      await api.put('/api/settings/profile', { body: { timezone, display_name } }).catch(() => undefined)
    },
  })
}

function AccountStep({ tokenRequired, done }: AccountStepProps) {
  const [setupToken, setSetupToken] = useState(tokenOfAddress)
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const form = useAccountForm(setupToken, done)
  return (
    <AccountForm form={form}>
      {tokenRequired && (
        <PasswordInput
          label="Setup token"
          description="hearthd printed it when it started, in the terminal or the service log"
          required
          value={setupToken}
          onChange={(event) => setSetupToken(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
    </AccountForm>
  )
}

/** `start` prints a link with the token in its fragment, which no server and no log receives. */
const tokenOfAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

function DoneStep({ firstKey }: { firstKey: string | null }) {
  return (
    <Stack>
      {firstKey ? (
        <>
          <SecretOnce secret={firstKey} what="API key" />
          <Muted>Try it:</Muted>
          <Code block>{`curl -H "Authorization: Bearer $KEY" ${location.origin}/api/agents`}</Code>
        </>
      ) : (
        <Text size="sm">
          The first API key was shown once and is not stored. Create another one in{' '}
          <Anchor component={Link} href="/settings/keys">
            Settings → API keys
          </Anchor>
          .
        </Text>
      )}
      <Button component={Link} href="/" size="md">
        Open hearthd
      </Button>
    </Stack>
  )
}
