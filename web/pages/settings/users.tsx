import { Badge, Stack } from '@mantine/core'
import { useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { DangerButton } from '../../parts/buttons.tsx'
import { DeleteButton } from '../../parts/confirm.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Face } from '../../parts/face.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

export const Users = () => (
  <Stack>
    <Accounts />
    <Invitations />
  </Stack>
)

/** Links by which people become users with a password of their own. */
function Invitations() {
  const [link, setLink] = useState<string | null>(null)
  return (
    <>
      {link && (
        <SecretOnce
          secret={link}
          what="invitation link"
          hint="Send it to the person. It works once, and it is not shown again."
        />
      )}
      <ResourcePage
        path="/api/auth/invitations"
        items="invitations"
        noun="invitation"
        title="Invitations"
        empty="Invite people by a link: they choose their own password."
        add="Invite"
        canChange={() => false}
        form={{ verb: 'Create the link', effect: false, layout: ['name', 'role', 'days'] }}
        made={(answer) => setLink(location.origin + (answer as { secret: string }).secret)}
        row={({ id, name, role, expires_at }) => ({
          badges: role === 'admin' && <Badge>Administrator</Badge>,
          actions: (
            <DeleteButton what={name} remove={(api) => api.delete('/api/auth/invitations/{id}', { params: { id } })} />
          ),
          children: (
            <Hint>
              Expires <Time at={expires_at} />
            </Hint>
          ),
        })}
      />
    </>
  )
}

function Accounts() {
  const me = useEndpoint('/api/auth/me').data?.user?.id
  return (
    <ResourcePage
      path="/api/auth/users"
      items="users"
      noun="user"
      title="Users"
      empty="No users."
      add="Add a user"
      form={{
        createPath: '/api/auth/register',
        title: (user) => (user ? `Edit ${user.username}` : 'Add a user'),
        verb: 'Add',
        effect: false,
        fields: { display_name: { format: 'line' } },
        layout: ['username', 'display_name', 'password', 'role'],
      }}
      row={({ id, username, display_name, role, last_login_at }) => ({
        name: display_name || username,
        label: username,
        icon: <Face name={display_name || username} size={34} />,
        badges: (
          <>
            {role === 'admin' && <Badge>Administrator</Badge>}
            {id === me && <Badge variant="default">You</Badge>}
          </>
        ),
        actions: (
          <ConfirmByName
            name={username}
            what="user"
            verb="Remove"
            effect="All keys and sessions of this user end immediately."
            run={(api) => api.delete('/api/auth/users/{id}', { params: { id } })}
            done={() => announce(`${username} was removed`)}
          >
            {(ask) => (
              <DangerButton disabled={id === me} onClick={ask}>
                Remove
              </DangerButton>
            )}
          </ConfirmByName>
        ),
        children: (
          <Hint>
            {username}
            <When label="signed in" at={last_login_at} otherwise=" · never signed in" />
          </Hint>
        ),
      })}
    />
  )
}
