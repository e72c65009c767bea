import { Group, Kbd, NavLink, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconFlame, IconKeyboard, IconSearch, IconX } from '@tabler/icons-react'
import { Link, useLocation } from 'wouter'
import { areaOf, areas } from './areas.ts'
import { ConnectionState } from './connection.tsx'
import classes from './navigation.module.css'
import { UserMenu } from './user-menu.tsx'

interface NavigationProps {
  close: () => void
  openPalette: () => void
  openKeys: () => void
}

export function Navigation({ close, openPalette, openKeys }: NavigationProps) {
  const [location] = useLocation()
  const current = areaOf(location)
  return (
    <Stack h="100%" gap="sm" p="sm">
      <Group justify="space-between" px={6} h={36}>
        <Brand />
        <UnstyledButton hiddenFrom="sm" aria-label="Close the navigation" onClick={close}>
          <IconX size={20} />
        </UnstyledButton>
      </Group>
      <UnstyledButton className={classes.search} onClick={openPalette}>
        <IconSearch size={16} />
        <span>Search</span>
        <Kbd size="xs" ml="auto">
          {modifier} K
        </Kbd>
      </UnstyledButton>
      <nav aria-label="Pages" className={classes.pages}>
        {areas.map((area) => (
          <NavLink
            key={area.path}
            component={Link}
            href={area.path}
            label={area.label}
            leftSection={<area.icon size={18} stroke={1.7} />}
            rightSection={area.badge && <area.badge />}
            active={current === area}
            aria-current={current === area ? 'page' : undefined}
            className={classes.link}
            onClick={close}
          />
        ))}
      </nav>
      <Group justify="space-between" px={6}>
        <ConnectionState />
        <UnstyledButton
          className={classes.icon}
          aria-label="Keyboard shortcuts"
          onClick={openKeys}
          visibleFrom="sm"
        >
          <IconKeyboard size={18} />
        </UnstyledButton>
      </Group>
      <UserMenu close={close} />
    </Stack>
  )
}

const modifier = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'

export function Brand() {
  return (
    <Link href="/" className="quiet-link">
      <Group gap={8}>
        <IconFlame size={22} color="var(--mantine-primary-color-filled)" aria-hidden />
        <Text fw={700} size="md">
          hearthd
        </Text>
      </Group>
    </Link>
  )
}
