import { ActionIcon, AppShell, Burger, Group, Indicator } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { PageSkeleton } from '../parts/states.tsx'
import { usePendingCount } from './approval-count.tsx'
import { areas } from './areas.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { useInterface } from './interface.ts'
import { Brand, Navigation } from './navigation.tsx'
import { NotFound } from './not-found.tsx'
import { useNotices } from './notices.ts'
import { PausedBanner } from './paused-banner.tsx'
import { useProfileTheme } from './profile-theme.ts'
import { useShortcuts } from './shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }))

/** The frame of every page: navigation at the left (behind a burger on a phone), the page at the right. */
export function Shell() {
  const [menuOpened, menu] = useDisclosure(false)
  const [keysOpened, keys] = useDisclosure(false)
  const [paletteAsked, setPaletteAsked] = useState(0)
  const openPalette = () => setPaletteAsked((asked) => asked + 1)
  const [location, navigate] = useLocation()
  const pending = usePendingCount()
  useProfileTheme()
  useInterface()
  useNotices()
  useShortcuts({ openPalette, openKeys: keys.open, navigate })

  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !menuOpened } }}
    >
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm" px="sm" bg="var(--surface)">
        <Group h="100%" justify="space-between">
          <Group gap="xs">
            <Indicator disabled={pending === 0} offset={6} size={9}>
              <Burger
                opened={menuOpened}
                onClick={menu.toggle}
                size="sm"
                aria-label="Navigation"
                aria-expanded={menuOpened}
              />
            </Indicator>
            <Brand />
          </Group>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={openPalette}>
            <IconSearch size={20} />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="navbar sunken" data-closed={!menuOpened || undefined}>
        <Navigation close={menu.close} openPalette={openPalette} openKeys={keys.open} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <PausedBanner />
        <ErrorBoundary key={areaKey(location)}>
          <Suspense fallback={<PageSkeleton />}>
            <Switch>
              {areas.map((area) => (
                <Route key={area.path} path={area.route} component={area.page} />
              ))}
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </AppShell.Main>
      {paletteAsked > 0 && (
        <Suspense>
          <Palette asked={paletteAsked} />
        </Suspense>
      )}
      {keysOpened && (
        <Suspense>
          <KeysHelp close={keys.close} />
        </Suspense>
      )}
    </AppShell>
  )
}

/** A page that failed is tried afresh when the person goes to another area. */
const areaKey = (location: string) => location.split('/', 2)[1] ?? ''
