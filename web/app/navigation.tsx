import {
  Button,
  Group,
  Kbd,
  NavLink,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  type UnstyledButtonProps,
} from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconFlame, IconKeyboard, IconLogout, IconSearch, IconUserCircle, IconX } from '@tabler/icons-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { BusState } from '../api/bus.ts'
import { useEndpoint } from '../api/query.ts'
import { useMyName, useProfile } from '../api/settings.ts'
import { ActionMenu } from '../parts/action-menu.tsx'
import { IconButton } from '../parts/buttons.tsx'
import { Chevron } from '../parts/chevron.tsx'
import { Face } from '../parts/face.tsx'
import { endInBrowser } from '../parts/notify.tsx'
import { Dot } from '../parts/status.tsx'
import { Hint } from '../parts/typography.tsx'
import { type Area, areaOf, areas, groups } from './areas.tsx'
import classes from './navigation.module.css'
import { useBusState, useServices } from './services.tsx'

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
        <UnstyledButton hiddenFrom="sm" aria-label="Close navigation" onClick={close}>
          <IconX size={20} />
        </UnstyledButton>
      </Group>
      <Button
        variant="default"
        fw={400}
        c="dimmed"
        px="0.6rem"
        justify="space-between"
        leftSection={<IconSearch size={16} />}
        rightSection={<Kbd size="xs">{modifier} K</Kbd>}
        styles={{ label: { flex: 1 } }}
        onClick={openPalette}
      >
        Search
      </Button>
      <nav aria-label="Pages" className={classes.pages}>
        <div className={classes.scrolled}>
          <AreaLinks group={undefined} current={current} close={close} />
          {groups.map((group) => (
            <Folded key={group} title={group} current={current?.group === group}>
              <AreaLinks group={group} current={current} close={close} />
            </Folded>
          ))}
        </div>
        <AreaLinks group="last" current={current} close={close} />
      </nav>
      <Group justify="space-between" px={6}>
        <ConnectionState />
        <IconButton label="Keyboard shortcuts" icon={IconKeyboard} onClick={openKeys} visibleFrom="sm" />
      </Group>
      <UserMenu close={close} />
    </Stack>
  )
}

interface AreaLinksProps {
  group: Area['group']
  current: Area | undefined
  close: () => void
}

const AreaLinks = ({ group, current, close }: AreaLinksProps) =>
  areas
    .filter((area) => area.group === group)
    .map((area) => (
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
    ))

/** A group that stays as the person left it, and opens when the current page is in it. */
function Folded({ title, current, children }: { title: string; current: boolean; children: ReactNode }) {
  const [kept, keep] = useLocalStorage<boolean>({ key: `hearthd.group.${title}`, getInitialValueInEffect: false })
  const opened = kept ?? current
  return (
    <>
      <UnstyledButton className={classes.group} aria-expanded={opened} onClick={() => keep(!opened)}>
        {title}
        <Chevron opened={opened} size={14} />
      </UnstyledButton>
      {opened && children}
    </>
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

const connections = {
  live: { label: 'Live', color: 'teal', hint: 'Changes appear immediately' },
  connecting: { label: 'Connecting…', color: 'yellow', hint: 'Waiting for live updates' },
  offline: { label: 'Offline', color: 'red', hint: 'hearthd is not responding; retrying automatically' },
  stranded: {
    label: 'No database',
    color: 'red',
    hint: 'The database server is not responding; retrying automatically',
  },
} as const satisfies Record<BusState, object>

/** Whether the page shows live data. */
function ConnectionState() {
  const { label, color, hint } = connections[useBusState()]
  return (
    <Tooltip label={hint} position="top-start">
      <Group gap={8} role="status">
        <Dot color={color} />
        <Hint>{label}</Hint>
      </Group>
    </Tooltip>
  )
}

function UserMenu({ close }: { close: () => void }) {
  const { api, session } = useServices()
  const [, navigate] = useLocation()

  async function signOut() {
    await endInBrowser(api).catch(() => undefined)
    await api.post('/api/auth/logout').catch(() => undefined)
    session.clear()
    navigate('/login')
  }

  return (
    <ActionMenu
      position="top-start"
      actions={[
        {
          label: 'Profile',
          icon: IconUserCircle,
          href: '/settings/profile',
          onClick: close,
        },
        { label: 'Sign out', icon: IconLogout, onClick: signOut },
      ]}
    >
      <UserButton />
    </ActionMenu>
  )
}

function UserButton(props: UnstyledButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof UnstyledButtonProps>) {
  const user = useEndpoint('/api/auth/me').data?.user
  const profile = useProfile().data
  const name = useMyName()
  return (
    <UnstyledButton className={classes.user} {...props}>
      <Face name={name} url={profile?.avatar_url ?? null} size={30} />
      <div className="grow">
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        <Hint truncate>{user?.role === 'admin' ? 'Administrator' : (user?.username ?? '\u00a0')}</Hint>
      </div>
    </UnstyledButton>
  )
}
