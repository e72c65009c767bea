import { Box } from '@mantine/core'
import type { ComponentType } from 'react'
import { Link, useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import classes from './browser.module.css'
import { SnapshotPanel } from './snapshot.tsx'

const loading = <SkeletonRows count={6} />

interface Panel {
  id: string
  label: string
  view: ComponentType<{ running: boolean; id: string | undefined }>
}

/** `/browser` shows the snapshot next to the live view, `/browser/<panel>` another panel. */
const panels: readonly Panel[] = [
  { id: 'snapshot', label: 'Snapshot', view: SnapshotPanel },
  { id: 'actions', label: 'Actions', view: lazily(() => import('./actions.tsx'), 'ActionsPanel', loading) },
  { id: 'network', label: 'Network', view: lazily(() => import('./network.tsx'), 'NetworkPanel', loading) },
  { id: 'console', label: 'Console', view: lazily(() => import('./console.tsx'), 'ConsolePanel', loading) },
  { id: 'files', label: 'Files', view: lazily(() => import('./files.tsx'), 'FilesPanel', loading) },
  {
    id: 'recordings',
    label: 'Recordings',
    view: lazily(() => import('./recordings.tsx'), 'RecordingsPanel', loading),
  },
  {
    id: 'sessions',
    label: 'Sessions',
    view: lazily(() => import('./sessions.tsx'), 'SessionsPanel', loading),
  },
  {
    id: 'settings',
    label: 'Settings',
    view: lazily(() => import('./settings.tsx'), 'SettingsPanel', loading),
  },
]

export function SidePanels({ running }: { running: boolean }) {
  const { panel = 'snapshot', id } = useParams<{ panel?: string; id?: string }>()
  const chosen = panels.find((one) => one.id === panel) ?? panels[0]
  const View = chosen?.view
  return (
    <Box component="section" className="card" miw={0} aria-label={chosen?.label}>
      <nav className={classes.panelNames} aria-label="Panels">
        {panels.map((one) => (
          <Link
            key={one.id}
            href={one.id === 'snapshot' ? '/browser' : `/browser/${one.id}`}
            className={classes.panelName}
            aria-current={one === chosen ? 'page' : undefined}
          >
            {one.label}
          </Link>
        ))}
      </nav>
      {View && <View running={running} id={id} />}
    </Box>
  )
}
