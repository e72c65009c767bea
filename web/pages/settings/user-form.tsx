import { Alert, Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Role, User } from '../../api/auth.ts'
import type { InputOf } from '../../api/client.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'

interface UserFormProps {
  edited: User | 'new' | null
  close: () => void
}

const roles = [
  { value: 'user', label: 'User: chats, reads, changes, approves' },
  { value: 'admin', label: 'Administrator: everything' },
]

export function UserForm({ edited, close }: UserFormProps) {
  const user = edited === 'new' ? null : edited
  return (
    <Modal opened={edited !== null} onClose={close} title={user ? `Edit ${user.username}` : 'Add a user'}>
      {edited !== null && <Form key={user?.id ?? 'new'} user={user} close={close} />}
    </Modal>
  )
}

function Form({ user, close }: { user: User | null; close: () => void }) {
  const [form, setForm] = useState({
    username: user?.username ?? '',
    display_name: user?.display_name ?? '',
    password: '',
    role: user?.role ?? ('user' as Role),
  })
  const save = useSave(user, close)
  const errors = fieldErrors(save.error)
  const field = (name: 'username' | 'display_name' | 'password') => ({
    value: form[name],
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setForm({ ...form, [name]: event.currentTarget.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(form)
  }
  return (
    <Stack component="form" onSubmit={submit}>
      {save.isError && Object.keys(errors).length === 0 && (
        <Alert color="red" role="alert">
          {readable(save.error)}
        </Alert>
      )}
      {!user && (
        <TextInput
          data-autofocus
          label="Username"
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          {...field('username')}
        />
      )}
      <TextInput label="Name" autoComplete="off" {...field('display_name')} />
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        autoComplete="new-password"
        required={!user}
        withAsterisk={false}
        minLength={10}
        description={
          user ? 'Empty keeps the present one; a new one ends all sessions' : 'At least 10 characters'
        }
        {...field('password')}
      />
      <Select
        label="Role"
        data={roles}
        value={form.role}
        allowDeselect={false}
        error={errors.role}
        onChange={(role) => setForm({ ...form, role: role as Role })}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          {user ? 'Save' : 'Add'}
        </Button>
      </Group>
    </Stack>
  )
}

type NewUser = InputOf<'POST', '/api/auth/register'>['body']

function useSave(user: User | null, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn({ username, display_name, password, role }: NewUser) {
      const body = { role, ...(display_name && { display_name }) }
      return user
        ? api.put('/api/auth/users/{id}', {
            params: { id: user.id },
            body: { ...body, ...(password && { password }) },
          })
        : api.post('/api/auth/register', { body: { ...body, username, password } })
    },
    meta: { shown: true },
    async onSuccess() {
      await refresh(queries, '/api/auth/users')
      close()
    },
  })
}
