import { Alert, Button, Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { inputsOf, required, tenCharacters, type useApiForm, username } from './form.tsx'

type Account = Record<'display_name' | 'username' | 'password', string>

interface AccountFormProps<Answer> {
  form: ReturnType<typeof useApiForm<Account, Answer>>
  /** Above the fields. */
  children?: ReactNode
}

/** The fields of a new account of one's own. */
export function AccountForm<Answer>({ form, children }: AccountFormProps<Answer>) {
  const { text, password } = inputsOf(form)
  return (
    <Paper className="card" p="lg" component="form" onSubmit={form.submit}>
      <Stack>
        {form.problem && (
          <Alert color="red" role="alert">
            {form.problem}
          </Alert>
        )}
        {children}
        {text('display_name', 'Your name', { autoComplete: 'name', autoFocus: true })}
        {text('username', 'Username', { ...required, ...username })}
        {password('password', 'Password', {
          ...required,
          description: tenCharacters,
          autoComplete: 'new-password',
          minLength: 10,
        })}
        <Button type="submit" loading={form.sending}>
          Create the account
        </Button>
      </Stack>
    </Paper>
  )
}
