import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { Panel } from '../../parts/panel.tsx'

const empty = { current_password: '', new_password: '' }

export function PasswordForm() {
  const api = useApi()
  const [form, setForm] = useState(empty)
  const change = useMutation({
    mutationFn: () => api.post('/api/auth/password', { body: form }),
    meta: { shown: true },
    onSuccess() {
      setForm(empty)
      announce('Your password is changed')
    },
  })
  const errors = fieldErrors(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const other = change.isError && Object.keys(errors).length === 0 ? readable(change.error) : undefined
  return (
    <Panel title="Password">
      <Stack component="form" onSubmit={submit} p="md" pt={4}>
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={form.current_password}
          error={errors.current_password ?? other}
          onChange={(event) => setForm({ ...form, current_password: event.currentTarget.value })}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={10}
          value={form.new_password}
          error={errors.new_password}
          onChange={(event) => setForm({ ...form, new_password: event.currentTarget.value })}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={change.isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
