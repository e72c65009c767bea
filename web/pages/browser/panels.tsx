import { Box, Button, Group } from '@mantine/core'
import type { ComponentType } from 'react'
import { Link, useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { capitalized } from '../../parts/text.ts'
import { SnapshotPanel } from './snapshot.tsx'

const loading = <SkeletonRows count={6} />

/** `/browser` shows the snapshot next to the live view, `/browser/<panel>` another panel. */
const panels: Record<string, ComponentType<{ running: boolean; id: string | undefined }>> = {
  snapshot: SnapshotPanel,
  actions: lazily(() => import('./actions.tsx'), 'ActionsPanel', loading),
  network: lazily(() => import('./network.tsx'), 'NetworkPanel', loading),
  console: lazily(() => import('./actions.tsx'), 'ConsolePanel', loading),
  files: lazily(() => import('./files.tsx'), 'FilesPanel', loading),
  recordings: lazily(() => import('./recordings.tsx'), 'RecordingsPanel', loading),
  sessions: lazily(() => import('./sessions.tsx'), 'SessionsPanel', loading),
  settings: lazily(() => import('./settings.tsx'), 'SettingsPanel', loading),
}

export function SidePanels({ running }: { running: boolean }) {
  const { panel = 'snapshot', id } = useParams<{ panel?: string; id?: string }>()
  const chosen = Object.hasOwn(panels, panel) ? panel : 'snapshot'
  const View = panels[chosen] ?? SnapshotPanel
  return (
    <Box component="section" className="card" miw={0} aria-label={capitalized(chosen)}>
      <Group component="nav" gap={2} p="xs" style={{ borderBottom: '1px solid var(--line)' }} aria-label="Panels">
        {Object.keys(panels).map((one) => (
          <Button
            key={one}
            component={Link}
            href={one === 'snapshot' ? '/browser' : `/browser/${one}`}
            size="compact-sm"
            {...(one === chosen ? { variant: 'light' } : { variant: 'subtle', color: 'gray', fw: 400 })}
            aria-current={one === chosen ? 'page' : undefined}
          >
            {capitalized(one)}
          </Button>
        ))}
      </Group>
      <View running={running} id={id} />
    </Box>
  )
}
