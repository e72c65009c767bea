import { Box, Button, Flex, Title } from '@mantine/core'
import { IconPower, IconWorldOff, IconWorldWww } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Feature } from '../../../runtime/features/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Muted } from '../../parts/typography.tsx'
import { AddressField } from './address-field.tsx'
import { FailureAlert } from './alerts.tsx'
import classes from './browser.module.css'
import { BrowserProvider, useBrowser } from './context.tsx'
import { LiveView } from './live-view.tsx'
import { SidePanels } from './panels.tsx'

/** The daemon's browser with the tabs of the person and of their agents: the live view, and panels next to it. */
export function BrowserPage() {
  const status = useEndpoint('/api/browser/status')
  return (
    <Box className="page" maw="104rem">
      <Loaded query={status} what="The browser">
        {({ running, tabs }) => (
          <BrowserProvider>
            <Content initiallyRunning={running && tabs > 0} />
          </BrowserProvider>
        )}
      </Loaded>
    </Box>
  )
}

function Content({ initiallyRunning }: { initiallyRunning: boolean }) {
  const { live } = useBrowser()
  const features = useEndpoint('/api/features').data?.features
  // Others may have tabs in it.
  const running = live.connected && live.state ? live.state.running && live.state.tabs.length > 0 : initiallyRunning
  const feature = features?.find(({ id }) => id === 'browser')
  const missing = !running && feature !== undefined && feature.status !== 'ok'
  return (
    <>
      <PageHeader title="Browser" description="Watch your agents’ browser, use it, or take control">
        {running && <CloseButton />}
      </PageHeader>
      {missing ? (
        <NotInstalled feature={feature} />
      ) : (
        <div className={classes.desk}>
          {running ? <LiveView /> : <Closed />}
          <SidePanels running={running} />
        </div>
      )}
    </>
  )
}

function CloseButton() {
  const refresh = useRefresh()
  return (
    <ConfirmButton
      question="This closes your tabs and those of your agents, and deletes your cookies. To stay signed in, save the session first."
      verb="Close"
      icon={IconPower}
      size="sm"
      run={(api) => api.post('/api/browser/close')}
      done={({ closed }) => {
        announce(closed ? 'Browser closed' : 'Your tabs are closed; others still have tabs in the browser')
        return refresh('/api/browser/status')
      }}
    >
      Close browser
    </ConfirmButton>
  )
}

/** The first address starts the browser. */
function Closed() {
  const { act, acting } = useBrowser()
  return (
    <Flex
      component="section"
      className="card"
      direction="column"
      gap="0.5rem"
      align="center"
      px="md"
      py="3rem"
      ta="center"
      aria-label="Start"
    >
      <FailureAlert />
      <IconWorldWww size={40} stroke={1.2} aria-hidden />
      <Title order={2} size="h4">
        The browser is closed
      </Title>
      <Muted maw={420}>
        Enter an address to start it. It closes automatically when it has not been used for a while.
      </Muted>
      <Flex w="min(32rem, 100%)" mt="sm">
        <AddressField url="" open={(url) => act({ action: 'goto', url })} busy={acting !== null} large />
      </Flex>
    </Flex>
  )
}

function NotInstalled({ feature: { status, unsupported_reason, command } }: { feature: Feature }) {
  const isAdmin = useIsAdmin() ?? false
  const unsupported = status === 'unsupported'
  const install = (
    <Button component={Link} href="/settings/features">
      Install browser
    </Button>
  )
  return (
    <section className="card" aria-label="No browser">
      <EmptyState
        icon={<IconWorldOff size={32} stroke={1.4} />}
        title="No browser is installed"
        action={isAdmin && !unsupported && install}
      >
        {!isAdmin
          ? 'Agents need Chromium to open pages. Ask an administrator to install it.'
          : unsupported
            ? unsupported_reason
            : `Agents need Chromium to open pages. Install the pack in Settings, or install Chromium or Chrome yourself; hearthd finds it.${command ? ` In a terminal: ${command}` : ''}`}
      </EmptyState>
    </section>
  )
}
