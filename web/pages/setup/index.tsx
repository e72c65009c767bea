import { Center, Loader, Stepper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Redirect, useLocation, useParams } from 'wouter'
import { bootstrapQuery } from '../../api/auth.ts'
import { useApi, useSession } from '../../app/services.tsx'
import { FrontPage } from '../../parts/front-page.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { AccountStep } from './account-step.tsx'
import { DoneStep } from './done-step.tsx'
import { ProviderStep } from './provider-step.tsx'

const steps = ['account', 'provider', 'done']
const titles = ['Welcome to hearthd', 'Choose a model', 'All set']
const descriptions = [
  'Two minutes, and everything stays on this machine.',
  'hearthd thinks with a model of your choice. You can add more, or change it, at any time.',
  'This is your first API key, for scripts and other programs. The browser does not need it.',
]

/** The first run: account, model, done. The address names the step, so back and reload work. */
export function Setup() {
  const { step } = useParams<{ step?: string }>()
  const [, navigate] = useLocation()
  const signedIn = useSession() !== null
  const bootstrap = useQuery(bootstrapQuery(useApi()))
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
    <FrontPage wide title={titles[current] ?? ''} description={descriptions[current]}>
      <Stepper
        active={current}
        size="xs"
        mb="lg"
        wrap={false}
        allowNextStepsSelect={false}
        aria-label="Steps"
      >
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
