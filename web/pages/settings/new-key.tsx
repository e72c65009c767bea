import { Alert, Button, Checkbox, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { IssuedKey, Scope } from '../../api/auth.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'

interface NewKeyProps {
  opened: boolean
  close: () => void
  done: (key: IssuedKey) => void
}

const scopes: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'See everything' },
  { value: 'write', label: 'Write', description: 'Chat, create and change' },
  { value: 'approve', label: 'Approve', description: 'Answer approvals only' },
  { value: 'admin', label: 'Admin', description: 'Everything, keys and users too' },
]

const day = 24 * 60 * 60 * 1000
const lifetimes = [
  { value: '', label: 'Never' },
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

export function NewKey({ opened, close, done }: NewKeyProps) {
  return (
    <Modal opened={opened} onClose={close} title="New API key">
      <NewKeyForm {...{ close, done }} />
    </Modal>
  )
}

function NewKeyForm({ close, done }: Omit<NewKeyProps, 'opened'>) {
  const api = useApi()
  const queries = useQueryClient()
  const [form, setForm] = useState({
    name: '',
    description: '',
    scopes: ['read', 'write'] as Scope[],
    days: '',
  })
  const create = useMutation({
    mutationFn: () => {
      const { days, ...given } = form
      const expires_at = days ? new Date(Date.now() + Number(days) * day).toISOString() : null
      return api.post('/api/auth/keys', { body: { ...given, expires_at } })
    },
    meta: { shown: true },
    async onSuccess(key) {
      await refresh(queries, '/api/auth/keys')
      done(key)
      close()
    },
  })
  const errors = fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Stack component="form" onSubmit={submit}>
      {create.isError && Object.keys(errors).length === 0 && (
        <Alert color="red" role="alert">
          {readable(create.error)}
        </Alert>
      )}
      <TextInput
        data-autofocus
        label="Name"
        required
        withAsterisk={false}
        maxLength={100}
        error={errors.name}
        value={form.name}
        onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
      />
      <TextInput
        label="What for"
        maxLength={1_000}
        error={errors.description}
        value={form.description}
        onChange={(event) => setForm({ ...form, description: event.currentTarget.value })}
      />
      <Checkbox.Group
        label="May"
        value={form.scopes}
        error={errors.scopes}
        onChange={(value) => setForm({ ...form, scopes: value as Scope[] })}
      >
        <Stack gap="xs" mt={6}>
          {scopes.map((scope) => (
            <Checkbox key={scope.value} {...scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label="Expires"
        data={lifetimes}
        value={form.days}
        allowDeselect={false}
        error={errors.expires_at}
        onChange={(days) => setForm({ ...form, days: days ?? '' })}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={create.isPending} disabled={form.scopes.length === 0}>
          Create
        </Button>
      </Group>
    </Stack>
  )
}
