import { Alert, Button, Paper, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Redirect, useLocation, useSearchParams } from 'wouter'
import { bootstrapQuery, type LoginResult } from '../../api/auth.ts'
import { readable } from '../../api/error.ts'
import { useServices, useSession } from '../../app/services.tsx'
import { FrontPage } from '../../parts/front-page.tsx'

export function Login() {
  const { api, session } = useServices()
  const signedIn = useSession() !== null
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const bootstrap = useQuery(bootstrapQuery(api))
  const next = safePlace(search.get('next'))
  const login = useMutation({
    mutationFn: () => api.post<LoginResult>('/api/auth/login', { username, password }),
    meta: { shown: true },
    onSuccess({ token, expires_at }) {
      session.set({ token, expires_at })
      navigate(next, { replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login.mutate()
  }

  if (bootstrap.data?.bootstrap_mode) return <Redirect to="/setup" replace />
  if (signedIn && !login.isPending) return <Redirect to={next} replace />
  return (
    <FrontPage
      title="Sign in"
      description={next === '/' ? undefined : 'You will come back to where you were.'}
    >
      <Paper className="card" p="lg" component="form" onSubmit={submit}>
        <Stack>
          {login.isError && (
            <Alert color="red" role="alert">
              {readable(login.error)}
            </Alert>
          )}
          <TextInput
            label="Username"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
            withAsterisk={false}
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={login.isPending}>
            Sign in
          </Button>
        </Stack>
      </Paper>
    </FrontPage>
  )
}

/** Only a path of this origin: an address in `next` could lead anywhere. */
function safePlace(next: string | null): string {
  if (!next) return '/'
  const target = new URL(next, location.origin)
  return next.startsWith('/') && target.origin === location.origin
    ? `${target.pathname}${target.search}`
    : '/'
}
