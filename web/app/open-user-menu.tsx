import { Menu } from '@mantine/core'
import { IconLogout, IconUserCircle } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { useServices } from './services.tsx'
import { UserButton } from './user-button.tsx'

/** Opened as soon as it is there. */
export function OpenUserMenu({ close }: { close: () => void }) {
  const { api, session } = useServices()
  const queries = useQueryClient()
  const [, navigate] = useLocation()

  async function signOut() {
    await api.post('/api/auth/logout').catch(() => undefined)
    session.clear()
    queries.clear()
    navigate('/login')
  }

  return (
    <Menu position="top-start" width={200} defaultOpened>
      <Menu.Target>
        <UserButton />
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
