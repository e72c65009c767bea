import { Badge, Button, Group, Modal, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Role, User } from '../../../runtime/auth/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Face } from '../../parts/face.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'

export function Users() {
  const query = useEndpoint('/api/auth/users', { query: { limit: 200 } })
  const me = useEndpoint('/api/auth/me').data?.user?.id
  const [edited, setEdited] = useState<User | 'new' | null>(null)
  const [removed, setRemoved] = useState<User | null>(null)
  const remove = useChange(
    (api, user: User) => api.delete('/api/auth/users/{id}', { params: { id: user.id } }),
    { stale: ['/api/auth/users'], done: (_, user) => announce(`${user.username} was removed`) },
  )
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
      Add a user
    </Button>
  )
  return (
    <Stack>
      <Panel title="Users" count={query.data?.total} action={add}>
        <Loaded query={query} what="Users">
          {({ users }) =>
            users.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                own={user.id === me}
                edit={() => setEdited(user)}
                remove={() => setRemoved(user)}
              />
            ))
          }
        </Loaded>
      </Panel>
      <UserForm edited={edited} close={() => setEdited(null)} />
      <ConfirmByName
        name={removed?.username ?? null}
        what="user"
        verb="Remove"
        pending={remove.isPending}
        confirm={() => removed && remove.mutate(removed, { onSettled: () => setRemoved(null) })}
        close={() => setRemoved(null)}
      >
        All keys and sessions of this user end immediately.
      </ConfirmByName>
    </Stack>
  )
}

interface UserRowProps {
  user: User
  own: boolean
  edit: () => void
  remove: () => void
}

function UserRow({ user, own, edit, remove }: UserRowProps) {
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={user.username}>
      <Face name={user.display_name || user.username} size={34} />
      <div className="grow" style={{ flexBasis: '12rem' }}>
        <Group gap={6}>
          <Text fw={500}>{user.display_name || user.username}</Text>
          {user.role === 'admin' && (
            <Badge size="sm" variant="light">
              Administrator
            </Badge>
          )}
          {own && (
            <Badge size="sm" variant="default">
              You
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {user.username} ·{' '}
          {user.last_login_at ? (
            <>
              signed in <Time at={user.last_login_at} />
            </>
          ) : (
            'never signed in'
          )}
        </Text>
      </div>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={edit}>
          Edit
        </Button>
        <Button
          size="xs"
          variant="default"
          c={own ? undefined : 'var(--mantine-color-error)'}
          disabled={own}
          onClick={remove}
        >
          Remove
        </Button>
      </Group>
    </article>
  )
}

interface UserFormProps {
  edited: User | 'new' | null
  close: () => void
}

const roles = [
  { value: 'user', label: 'User: chats, reads, changes, approves' },
  { value: 'admin', label: 'Administrator: everything' },
]

function UserForm({ edited, close }: UserFormProps) {
  const user = edited === 'new' ? null : edited
  return (
    <Modal opened={edited !== null} onClose={close} title={user ? `Edit ${user.username}` : 'Add a user'}>
      {edited !== null && <Form key={user?.id ?? 'new'} user={user} close={close} />}
    </Modal>
  )
}

function Form({ user, close }: { user: User | null; close: () => void }) {
  const api = useApi()
  const refresh = useRefresh()
  const form = useApiForm({
    initial: {
      username: user?.username ?? '',
      display_name: user?.display_name ?? '',
      password: '',
      role: user?.role ?? ('user' as Role),
    },
    save({ username, display_name, password, role }): Promise<unknown> {
      const body = { role, ...(display_name && { display_name }) }
      if (!user) return api.post('/api/auth/register', { body: { ...body, username, password } })
      const params = { id: user.id }
      return api.put('/api/auth/users/{id}', { params, body: { ...body, ...(password && { password }) } })
    },
    async saved() {
      await refresh('/api/auth/users')
      close()
    },
  })
  return (
    <Stack component="form" onSubmit={form.submit}>
      <FormProblem form={form} />
      {!user && (
        <TextInput
          data-autofocus
          label="Username"
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          {...form.getInputProps('username')}
        />
      )}
      <TextInput label="Name" autoComplete="off" {...form.getInputProps('display_name')} />
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        autoComplete="new-password"
        required={!user}
        withAsterisk={false}
        minLength={10}
        description={
          user
            ? 'Leave empty to keep the current one; a new password ends all sessions'
            : 'At least 10 characters'
        }
        {...form.getInputProps('password')}
      />
      <Select label="Role" data={roles} allowDeselect={false} {...form.getInputProps('role')} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={form.sending}>
          {user ? 'Save' : 'Add'}
        </Button>
      </Group>
    </Stack>
  )
}
