import { Button, Tabs } from '@mantine/core'
import { IconSettings } from '@tabler/icons-react'
import { type ComponentType, useEffect, useRef } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { settingsSections } from '../../app/settings-sections.ts'
import { AdministratorsOnly } from '../../parts/administrators-only.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import classes from './settings.module.css'

const loading = <SkeletonRows />
const panels: Record<string, ComponentType> = {
  profile: lazily(() => import('./profile.tsx'), 'Profile', loading),
  interface: lazily(() => import('./sections.tsx'), 'InterfaceSettings', loading),
  agent: lazily(() => import('./sections.tsx'), 'AgentSettings', loading),
  proactive: lazily(() => import('./sections.tsx'), 'ProactiveSettings', loading),
  strategy: lazily(() => import('./sections.tsx'), 'StrategySettings', loading),
  dispatcher: lazily(() => import('./dispatcher.tsx'), 'Dispatcher', loading),
  memory: lazily(() => import('./sections.tsx'), 'MemorySettings', loading),
  email: lazily(() => import('./sections.tsx'), 'Email', loading),
  security: lazily(() => import('./sections.tsx'), 'Security', loading),
  transfer: lazily(() => import('./transfer.tsx'), 'Transfer', loading),
  providers: lazily(() => import('./providers.tsx'), 'Providers', loading),
  spending: lazily(() => import('./spending.tsx'), 'Spending', loading),
  skills: lazily(() => import('./skills.tsx'), 'Skills', loading),
  'tool-servers': lazily(() => import('./tool-servers.tsx'), 'ToolServers', loading),
  features: lazily(() => import('./features.tsx'), 'Features', loading),
  keys: lazily(() => import('./keys.tsx'), 'Keys', loading),
  users: lazily(() => import('./users.tsx'), 'Users', loading),
  backup: lazily(() => import('./backups.tsx'), 'Backups', loading),
  history: lazily(() => import('./history.tsx'), 'History', loading),
  storage: lazily(() => import('./storage.tsx'), 'Storage', loading),
  audit: lazily(() => import('./audit.tsx'), 'Audit', loading),
}

export function Settings() {
  const { section: id = 'profile' } = useParams<{ section?: string }>()
  const [, navigate] = useLocation()
  const section = settingsSections.find((candidate) => candidate.id === id)
  const Panel = panels[id]
  const strip = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected tab changes with the section
  useEffect(() => showChosen(strip.current), [id])
  return (
    <div className="page">
      <PageHeader title={section ? section.label : 'Settings'} description={section?.hint} />
      <Tabs
        value={id}
        onChange={(next) => navigate(`/settings/${next}`)}
        className={classes.root}
        mb="lg"
        aria-label="Sections"
      >
        <div className={classes.strip} ref={strip}>
          <Tabs.List className={classes.list} aria-label="Settings sections">
            {settingsSections.map(({ id: value, label, icon: Icon }) => (
              <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} />}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel value={id} className={classes.panel}>
          {Panel ? (
            section?.admin ? (
              <AdministratorsOnly>
                <Panel />
              </AdministratorsOnly>
            ) : (
              <Panel />
            )
          ) : (
            <EmptyState
              icon={<IconSettings />}
              title="No such section"
              action={
                <Button component={Link} href="/settings">
                  All settings
                </Button>
              }
            />
          )}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

/** Scrolls the selected tab into view, because on a phone the tabs are wider than the screen. */
function showChosen(strip: HTMLDivElement | null): void {
  strip
    ?.querySelector('[role=tab][aria-selected=true]')
    ?.scrollIntoView({ block: 'nearest', inline: 'center' })
}
