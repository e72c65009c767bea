import { Alert, Button, Paper, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { SetupResult } from '../../api/auth.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { useServices } from '../../app/services.tsx'

interface AccountStepProps {
  tokenRequired: boolean
  /** `key` is the first API key, shown at the end. */
  done: (key: string) => void
}

/** Creates the first user, who is the administrator. */
export function AccountStep({ tokenRequired, done }: AccountStepProps) {
  const { api, session } = useServices()
  const queries = useQueryClient()
  const [setupToken, setSetupToken] = useState(tokenOfAddress)
  const [form, setForm] = useState({ display_name: '', username: '', password: '' })
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])

  const create = useMutation({
    mutationFn: () =>
      api.post<SetupResult>(
        '/api/setup/admin',
        { ...form, display_name: form.display_name || undefined },
        {
          headers: setupToken ? { 'x-setup-token': setupToken } : {},
        },
      ),
    meta: { shown: true },
    async onSuccess(result) {
      session.set(result.session)
      done(result.api_key.key)
      await queries.invalidateQueries({ queryKey: ['bootstrap'] })
      // The zone of schedules is best guessed from the browser; the profile page can change it.
      const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
      await api
        .put('/api/settings/profile', { timezone, display_name: form.display_name })
        .catch(() => undefined)
    },
  })
  const errors = fieldErrors(create.error)
  const field = (name: keyof typeof form) => ({
    value: form[name],
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setForm({ ...form, [name]: event.currentTarget.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }

  return (
    <Paper className="card" p="lg" component="form" onSubmit={submit}>
      <Stack>
        {create.isError && Object.keys(errors).length === 0 && (
          <Alert color="red" role="alert">
            {readable(create.error)}
          </Alert>
        )}
        {tokenRequired && (
          <PasswordInput
            label="Setup token"
            description="hearthd printed it when it started, in the terminal or the service's log"
            required
            value={setupToken}
            onChange={(event) => setSetupToken(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        <TextInput label="Your name" autoComplete="name" autoFocus {...field('display_name')} />
        <TextInput
          label="Username"
          autoComplete="username"
          autoCapitalize="none"
          required
          {...field('username')}
        />
        <PasswordInput
          label="Password"
          description="At least 10 characters"
          autoComplete="new-password"
          required
          minLength={10}
          {...field('password')}
        />
        <Button type="submit" loading={create.isPending}>
          Create the account
        </Button>
      </Stack>
    </Paper>
  )
}

/** `start` prints a link that carries the token in its fragment, which no server and no log ever sees. */
const tokenOfAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
