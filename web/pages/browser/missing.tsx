import { Button } from '@mantine/core'
import { IconWorldOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Feature } from '../../api/features.ts'
import { EmptyState } from '../../parts/states.tsx'

/** This machine has no Chromium. */
export function Missing({ feature }: { feature: Feature }) {
  const { status, unsupported_reason, command } = feature
  const unsupported = status === 'unsupported'
  return (
    <section className="card" aria-label="No browser">
      <EmptyState
        icon={<IconWorldOff size={32} stroke={1.4} />}
        title="There is no browser on this machine yet"
        action={
          !unsupported && (
            <Button component={Link} href="/settings/features">
              Install the browser
            </Button>
          )
        }
      >
        {unsupported
          ? `${unsupported_reason ?? 'The pack does not run on this machine'}. Install Chromium or Chrome yourself; hearthd finds it.`
          : `Agents need a Chromium to open pages. Install the pack in Settings, or install Chromium or Chrome yourself; hearthd finds it.${command ? ` In a terminal: ${command}` : ''}`}
      </EmptyState>
    </section>
  )
}
