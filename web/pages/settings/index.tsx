import { Button, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSettings } from '@tabler/icons-react'
import { type ComponentType, useEffect, useRef } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { SectionName } from '../../api/settings.ts'
import { type SettingsSection, settingsSections } from '../../app/settings-sections.ts'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'

const loading = <SkeletonRows />
const SectionForm = lazily(() => import('./section-form.tsx'), 'SectionForm', loading)
const AdministratorsOnly = lazily(() => import('../../parts/administrators-only.tsx'), 'AdministratorsOnly', loading)

/** Sections that are more than the form of their schema. */
const panels: Record<string, ComponentType> = {
  profile: lazily(() => import('./profile.tsx'), 'Profile', loading),
  dispatcher: lazily(() => import('./dispatcher.tsx'), 'Dispatcher', loading),
  email: lazily(() => import('./sections.tsx'), 'Email', loading),
  security: lazily(() => import('./sections.tsx'), 'Security', loading),
  transfer: lazily(() => import('./transfer.tsx'), 'Transfer', loading),
  providers: lazily(() => import('./providers.tsx'), 'Providers', loading),
  spending: lazily(() => import('./spending.tsx'), 'Spending', loading),
  skills: lazily(() => import('./skills.tsx'), 'Skills', loading),
  'tool-servers': lazily(() => import('./tool-servers.tsx'), 'ToolServers', loading),
  features: lazily(() => import('./features.tsx'), 'Features', loading),
  credentials: lazily(() => import('./credentials.tsx'), 'Credentials', loading),
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
  const isWide = useMediaQuery('(min-width: 62em)', false, { getInitialValueInEffect: false })
  const strip = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected tab changes with the section
  useEffect(() => showChosen(strip.current), [id])
  const panel = section ? (
    <Panel section={section} />
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
  )
  return (
    <div className="page">
      <PageHeader title={section ? section.label : 'Settings'} description={section?.hint} />
      <Tabs
        value={id}
        onChange={(next) => navigate(`/settings/${next}`)}
        orientation={isWide ? 'vertical' : 'horizontal'}
        styles={{ tabLabel: { flex: 'none' } }}
        mb="lg"
        aria-label="Sections"
      >
        {/* On a phone the tabs are wider than the screen; a finger moves them. */}
        <div style={{ overflowX: isWide ? undefined : 'auto', scrollbarWidth: 'none' }} ref={strip}>
          <Tabs.List
            style={isWide ? {} : { flexWrap: 'nowrap', minWidth: 'max-content' }}
            aria-label="Settings sections"
          >
            {settingsSections.map(({ id: value, label, icon: Icon }) => (
              <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} />}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel value={id} miw={0} {...(isWide ? { pl: 'xl' } : { pt: 'lg' })}>
          {section?.admin ? <AdministratorsOnly>{panel}</AdministratorsOnly> : panel}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

function Panel({ section: { id, label } }: { section: SettingsSection }) {
  const Own = panels[id]
  return Own ? <Own /> : <SectionForm key={id} name={id as SectionName} title={label} />
}

/** Scrolls the selected tab into view, because on a phone the tabs are wider than the screen. */
function showChosen(strip: HTMLDivElement | null): void {
  strip?.querySelector('[role=tab][aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}
