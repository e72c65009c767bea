import { Menu, Text, UnstyledButton } from '@mantine/core'
import { IconLogout, IconUserCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { meQuery } from '../api/auth.ts'
import { profileQuery } from '../api/settings.ts'
import { Face } from '../parts/face.tsx'
import classes from './navigation.module.css'
import { useServices } from './services.tsx'

export function UserMenu({ close }: { close: () => void }) {
  const { api, session } = useServices()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const me = useQuery(meQuery(api)).data
  const profile = useQuery(profileQuery(api)).data
  const name = profile?.display_name || me?.user?.display_name || me?.user?.username || 'You'

  async function signOut() {
    await api.post('/api/auth/logout').catch(() => undefined)
    session.clear()
    queries.clear()
    navigate('/login')
  }

  return (
    <Menu position="top-start" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.user}>
          <Face name={name} url={profile?.avatar_url ?? null} size={30} />
          <div className="grow">
            <Text size="sm" fw={500} truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {me?.user?.role === 'admin' ? 'Administrator' : (me?.user?.username ?? ' ')}
            </Text>
          </div>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          href="/settings/profile"
          leftSection={<IconUserCircle size={16} />}
          onClick={close}
        >
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
