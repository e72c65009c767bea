import { Badge, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Role } from '../../../runtime/auth/caller.ts'
import type { User } from '../../../runtime/auth/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { AddButton, DangerButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Face } from '../../parts/face.tsx'
import { EntityForm, inputsOf, required, tenCharacters, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const stale = ['/api/auth/users']

export function Users() {
  const query = useEndpoint('/api/auth/users', { query: { limit: 200 } })
  const me = useEndpoint('/api/auth/me').data?.user?.id
  const [edited, setEdited] = useState<User | 'new' | null>(null)
  const add = <AddButton onClick={() => setEdited('new')}>Add a user</AddButton>
  return (
    <Stack>
      <Panel title="Users" count={query.data?.total} action={add}>
        <List query={query} what="Users" items="users" empty="No users.">
          {(user) => <UserRow key={user.id} user={user} own={user.id === me} edit={() => setEdited(user)} />}
        </List>
      </Panel>
      <UserForm edited={edited} close={() => setEdited(null)} />
    </Stack>
  )
}

function UserRow({ user, own, edit }: { user: User; own: boolean; edit: () => void }) {
  const { id, username, last_login_at } = user
  const name = user.display_name || username
  const remove = useChange((api) => api.delete('/api/auth/users/{id}', { params: { id } }), {
    stale,
    done: () => announce(`${username} was removed`),
  })
  return (
    <Row
      name={name}
      label={username}
      icon={<Face name={name} size={34} />}
      badges={
        <>
          {user.role === 'admin' && <Badge>Administrator</Badge>}
          {own && <Badge variant="default">You</Badge>}
        </>
      }
      actions={
        <>
          <SmallButton onClick={edit}>Edit</SmallButton>
          <ConfirmByName
            name={username}
            what="user"
            verb="Remove"
            effect="All keys and sessions of this user end immediately."
            run={remove}
          >
            {(ask) => (
              <DangerButton disabled={own} onClick={ask}>
                Remove
              </DangerButton>
            )}
          </ConfirmByName>
        </>
      }
    >
      <Hint>
        {username}
        <When label="signed in" at={last_login_at} otherwise=" · never signed in" />
      </Hint>
    </Row>
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
  const form = useApiForm({
    initial: {
      username: user?.username ?? '',
      display_name: user?.display_name ?? '',
      password: '',
      role: user?.role ?? ('user' as Role),
    },
    save({ display_name, ...values }, { username: _, ...changes }): Promise<unknown> {
      if (!user)
        return api.post('/api/auth/register', { body: { ...values, ...(display_name && { display_name }) } })
      const params = { id: user.id }
      return api.put('/api/auth/users/{id}', { params, body: changes })
    },
    stale,
    saved: close,
  })
  const { text, password, select } = inputsOf(form)
  return (
    <EntityForm form={form} verb={user ? 'Save' : 'Add'} close={close}>
      {!user && text('username', 'Username', { ...required, autoComplete: 'off', autoCapitalize: 'none' })}
      {text('display_name', 'Name', { autoComplete: 'off' })}
      {password('password', user ? 'New password' : 'Password', {
        ...required,
        required: !user,
        autoComplete: 'new-password',
        minLength: 10,
        description: user ? 'Empty: the current one is kept. A new one ends all sessions' : tenCharacters,
      })}
      {select('role', 'Role', roles)}
    </EntityForm>
  )
}
