import { type ComponentType, lazy, Suspense } from 'react'
import { Link, useParams } from 'wouter'
import { SkeletonRows } from '../../../parts/states.tsx'
import classes from '../browser.module.css'
import { SnapshotPanel } from './snapshot.tsx'

interface Panel {
  id: string
  label: string
  view: ComponentType<{ running: boolean; id: string | undefined }>
}

/** `/browser` shows the snapshot beside the page, `/browser/<panel>` something else. */
const panels: readonly Panel[] = [
  { id: 'snapshot', label: 'Snapshot', view: SnapshotPanel },
  {
    id: 'actions',
    label: 'Actions',
    view: lazy(async () => ({ default: (await import('./actions.tsx')).ActionsPanel })),
  },
  {
    id: 'network',
    label: 'Network',
    view: lazy(async () => ({ default: (await import('../traffic/network.tsx')).NetworkPanel })),
  },
  {
    id: 'console',
    label: 'Console',
    view: lazy(async () => ({ default: (await import('../traffic/console.tsx')).ConsolePanel })),
  },
  {
    id: 'files',
    label: 'Files',
    view: lazy(async () => ({ default: (await import('../traffic/downloads.tsx')).FilesPanel })),
  },
  {
    id: 'recordings',
    label: 'Recordings',
    view: lazy(async () => ({ default: (await import('../recordings/index.tsx')).RecordingsPanel })),
  },
  {
    id: 'sessions',
    label: 'Sessions',
    view: lazy(async () => ({ default: (await import('./sessions.tsx')).SessionsPanel })),
  },
  {
    id: 'settings',
    label: 'Settings',
    view: lazy(async () => ({ default: (await import('./settings.tsx')).SettingsPanel })),
  },
]

export function SidePanels({ running }: { running: boolean }) {
  const { panel = 'snapshot', id } = useParams<{ panel?: string; id?: string }>()
  const chosen = panels.find((one) => one.id === panel) ?? panels[0]
  const View = chosen?.view
  return (
    <section className={`card ${classes.panel}`} aria-label={chosen?.label}>
      <nav className={classes.panelNames} aria-label="Beside the page">
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
      <Suspense fallback={<SkeletonRows count={6} />}>{View && <View running={running} id={id} />}</Suspense>
    </section>
  )
}
