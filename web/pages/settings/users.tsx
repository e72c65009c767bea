import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery, type User, usersQuery } from '../../api/auth.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Face } from '../../parts/face.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { UserForm } from './user-form.tsx'

export function Users() {
  const query = useQuery(usersQuery(useApi()))
  const me = useQuery(meQuery(useApi())).data?.user?.id
  const [edited, setEdited] = useState<User | 'new' | null>(null)
  const [removed, setRemoved] = useState<User | null>(null)
  const remove = useRemove(() => setRemoved(null))
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
        confirm={() => removed && remove.mutate(removed)}
        close={() => setRemoved(null)}
      >
        All keys and sessions of this user end at once.
      </ConfirmByName>
    </Stack>
  )
}

function useRemove(done: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (user: User) => api.delete('/api/auth/users/{id}', { params: { id: user.id } }),
    onSuccess: (_, user) => announce(`${user.username} is removed`),
    onSettled() {
      done()
      return refresh(queries, '/api/auth/users')
    },
  })
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
