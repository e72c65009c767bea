import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useServices } from '../../app/services.tsx'
import { AccountForm } from '../../parts/account-form.tsx'
import { useApiForm } from '../../parts/form.tsx'
import { FrontPage } from '../../parts/front-page.tsx'
import { Loaded } from '../../parts/list.tsx'
import { DeadLink } from './dead-link.tsx'

/** Where the link of an invitation leads. Its token is in the fragment, which no server and no log receives. */
export function Invitation() {
  const { api } = useServices()
  const [token] = useState(() => location.hash.slice(1))
  const invitation = useQuery({
    queryKey: ['invitation'],
    queryFn: () => api.post('/api/auth/invitations/open', { body: { token } }),
    retry: false,
  })
  if (invitation.error) return <DeadLink error={invitation.error} />
  return (
    <Loaded query={invitation} what="The invitation">
      {({ name }) => <Accept token={token} name={name} />}
    </Loaded>
  )
}

function Accept({ token, name }: { token: string; name: string }) {
  const { api, session } = useServices()
  const [, navigate] = useLocation()
  const form = useApiForm({
    initial: { display_name: name, username: '', password: '' },
    save: ({ display_name, ...body }) =>
      api.post('/api/auth/invitations/accept', {
        body: { ...body, token, ...(display_name && { display_name }) },
      }),
    saved({ token: issued, expires_at, user }) {
      session.set({ token: issued, expires_at, user_id: user.id })
      navigate('/', { replace: true })
    },
  })
  return (
    <FrontPage title="Welcome to hearthd" description="You are invited. Choose how you sign in.">
      <AccountForm form={form} />
      <Button component={Link} href="/login" variant="subtle" mt="sm" fullWidth>
        I have an account
      </Button>
    </FrontPage>
  )
}
