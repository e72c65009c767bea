import { ActionIcon, Anchor, Button, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMapQuestion, IconMenu2, IconPlayerPause, IconPlugConnectedX, IconSearch } from '@tabler/icons-react'
import { Suspense, useEffect, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { navigate as navigateTo } from 'wouter/use-browser-location'
import { useEndpoint } from '../api/query.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { lazily } from '../parts/lazily.ts'
import { EmptyState, PageSkeleton } from '../parts/list.tsx'
import { PageHeader } from '../parts/page.tsx'
import { areaOf, areas } from './areas.tsx'
import { useInterface } from './interface.ts'
import { Brand, Navigation } from './navigation.tsx'
import { useNotices } from './notices.ts'
import { useBusState, useServices } from './services.tsx'
import classes from './shell.module.css'
import { useShortcuts } from './shortcuts.ts'

const Palette = lazily(() => import('./palette.tsx'), 'Palette')
const KeysHelp = lazily(() => import('./keys-help.tsx'), 'KeysHelp')

/** The frame of every page: navigation on the left (on a phone a bar, and a drawer for the rest), the page on the right. */
export function Shell() {
  const [menuOpened, menu] = useDisclosure(false)
  const [keysOpened, keys] = useDisclosure(false)
  const [paletteOpenings, setPaletteOpenings] = useState(0)
  const openPalette = () => setPaletteOpenings((count) => count + 1)
  const [, navigate] = useLocation()
  useInterface()
  useNotices()
  useOutbox()
  useShortcuts({ openPalette, openKeys: keys.open, navigate })

  return (
    <div className={classes.shell}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <button type="button" className="skip" onClick={focusMessage}>
        Skip to the message
      </button>
      <header className={classes.header}>
        <Brand />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={openPalette}>
          <IconSearch size={20} />
        </ActionIcon>
      </header>
      <div className={classes.navigation} data-opened={menuOpened || undefined}>
        <Navigation close={menu.close} openPalette={openPalette} openKeys={keys.open} />
      </div>
      <main id="main" tabIndex={-1} className={classes.main}>
        <UnreachableBanner />
        <PausedBanner />
        <Page />
      </main>
      <PhoneBar menuOpened={menuOpened} toggleMenu={menu.toggle} />
      <ErrorBoundary fallback={null}>
        {paletteOpenings > 0 && <Palette openings={paletteOpenings} />}
        {keysOpened && <KeysHelp close={keys.close} />}
      </ErrorBoundary>
    </div>
  )
}

/** Sends the messages that were written while the daemon could not be reached. */
function useOutbox(): void {
  const services = useServices()
  const state = useBusState()
  useEffect(() => {
    if (state === 'offline' || state === 'stranded' || !localStorage.getItem('hearthd.outbox')) return
    const open = (id: string, { conversation }: { conversation: string | null }) => {
      if (conversation === null && location.pathname === '/chat') navigateTo(`/chat/${id}`, { replace: true })
    }
    void import('./outbox.ts').then(({ sendWaiting }) => sendWaiting(services, open))
  }, [services, state])
}

/** Where a message is typed, if the page has such a field, else its content. */
function focusMessage(): void {
  const field = document.querySelector<HTMLElement>('main textarea') ?? document.getElementById('main')
  field?.focus()
}

/** The pages that a person on a phone opens most, and the way to all others. */
function PhoneBar({ menuOpened, toggleMenu }: { menuOpened: boolean; toggleMenu: () => void }) {
  const current = areaOf(useLocation()[0])
  return (
    <nav aria-label="Main" className={classes.bar}>
      {areas
        .filter((area) => area.bar)
        .map(({ path, label, icon: Icon, badge: Count, ...area }) => (
          <Link key={path} href={path} aria-current={current?.route === area.route ? 'page' : undefined}>
            <Icon size={22} stroke={1.7} />
            {label}
            {Count && (
              <span className={classes.count}>
                <Count />
              </span>
            )}
          </Link>
        ))}
      <UnstyledButton aria-expanded={menuOpened} onClick={toggleMenu}>
        <IconMenu2 size={22} stroke={1.7} />
        More
      </UnstyledButton>
    </nav>
  )
}

/** Says on every page that what it shows may be out of date. */
function UnreachableBanner() {
  const state = useBusState()
  if (state !== 'offline' && state !== 'stranded') return null
  return (
    <div className="banner" role="alert">
      <IconPlugConnectedX size={16} aria-hidden />
      <Text size="sm" component="span">
        {state === 'offline' ? 'hearthd' : 'The database server'} cannot be reached: this page may be out of date,
        nothing can be changed, and chat messages are sent when it is back. Reconnecting…
      </Text>
    </div>
  )
}

/** Explains on every page why nothing answers while the kill switch is on. */
function PausedBanner() {
  const paused = useEndpoint('/api/monitoring/kill-switch').data?.paused
  if (!paused) return null
  return (
    <div className="banner" role="status">
      <IconPlayerPause size={16} aria-hidden />
      <Text size="sm" component="span">
        All model calls are paused.{' '}
        <Anchor component={Link} href="/settings/spending" inherit c="inherit">
          Resume in Settings
        </Anchor>
      </Text>
    </div>
  )
}

function Page() {
  const [location] = useLocation()
  // A page that failed is loaded again when the person returns from another area.
  const area = location.split('/', 2)[1]
  return (
    <ErrorBoundary key={area}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {areas.map(({ path, route, page }) => (
            <Route key={path} path={route} component={page} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

function NotFound() {
  const [location] = useLocation()
  return (
    <div className="page">
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<IconMapQuestion />}
        title="There is nothing here"
        action={
          <Button component={Link} href="/">
            Go home
          </Button>
        }
      >
        {location} does not exist. The page may have moved, or the link may have a typo.
      </EmptyState>
    </div>
  )
}
