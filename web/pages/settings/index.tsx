import { Button } from '@mantine/core'
import { IconSettings } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { Link, useParams } from 'wouter'
import type { SectionName } from '../../api/settings.ts'
import { type SettingsSection, settingsGroups, settingsSections } from '../../app/settings-sections.ts'
import { AdministratorsOnly, useIsAdmin } from '../../parts/administrators-only.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { showChosen } from '../../parts/status.tsx'
import classes from './settings.module.css'

const loading = <SkeletonRows />
const SectionForm = lazily(() => import('./section-form.tsx'), 'SectionForm', loading)
const Found = lazily(() => import('./found.tsx'), 'Found', loading)

/** Sections that are more than the form of their schema. */
const panels: Record<string, ComponentType> = {
  profile: lazily(() => import('./profile.tsx'), 'Profile', loading),
  interface: lazily(() => import('./interface.tsx'), 'Interface', loading),
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
  permissions: lazily(() => import('./permissions.tsx'), 'Permissions', loading),
  keys: lazily(() => import('./keys.tsx'), 'Keys', loading),
  users: lazily(() => import('./users.tsx'), 'Users', loading),
  backup: lazily(() => import('./backups.tsx'), 'Backups', loading),
  history: lazily(() => import('./history.tsx'), 'History', loading),
  storage: lazily(() => import('./storage.tsx'), 'Storage', loading),
  audit: lazily(() => import('./audit.tsx'), 'Audit', loading),
}

export function Settings() {
  const { section: id = 'profile' } = useParams<{ section?: string }>()
  const [query, setQuery] = useState('')
  const section = settingsSections.find((candidate) => candidate.id === id)
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
      <PageHeader title={section ? section.label : 'Settings'} description={section?.hint}>
        <SearchField what="Search settings" type="search" data-search value={query} change={setQuery} />
      </PageHeader>
      <div className={classes.layout}>
        <Sections current={id} open={() => setQuery('')} />
        <div>
          {query.trim() ? (
            <Found query={query.trim()} open={() => setQuery('')} />
          ) : section?.admin ? (
            <AdministratorsOnly>{panel}</AdministratorsOnly>
          ) : (
            panel
          )}
        </div>
      </div>
    </div>
  )
}

/** The sections that the person may open. */
function Sections({ current, open }: { current: string; open: () => void }) {
  const isAdmin = useIsAdmin()
  return (
    <nav aria-label="Settings sections" className={classes.sections}>
      {settingsGroups.map(({ title, sections }) => (
        <div key={title}>
          {sections.some(({ admin }) => !admin || isAdmin) && <div className={classes.group}>{title}</div>}
          {sections.map(
            ({ id, label, icon: Icon, admin }) =>
              (!admin || isAdmin) && (
                <Link
                  key={id}
                  href={`/settings/${id}`}
                  className={classes.section}
                  aria-current={id === current ? 'page' : undefined}
                  ref={id === current ? showChosen : undefined}
                  onClick={open}
                >
                  <Icon size={16} />
                  {label}
                </Link>
              ),
          )}
        </div>
      ))}
    </nav>
  )
}

function Panel({ section: { id, label } }: { section: SettingsSection }) {
  const Own = panels[id]
  return Own ? <Own /> : <SectionForm key={id} name={id as SectionName} title={label} />
}
