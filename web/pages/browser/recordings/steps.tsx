import { Text } from '@mantine/core'
import { IconCheck, IconCircle, IconLoader2, IconPlayerSkipForward, IconX } from '@tabler/icons-react'
import type { RecordingDetail, Replay, ReplayStep } from '../../../api/browser.ts'
import { whole } from '../../../parts/numbers.ts'
import classes from '../browser.module.css'
import { aimOf, titleOf, wordsOf } from '../side/describe.ts'

const icons = {
  pending: IconCircle,
  running: IconLoader2,
  completed: IconCheck,
  failed: IconX,
  skipped: IconPlayerSkipForward,
} as const

interface StepsProps {
  steps: RecordingDetail['steps']
  /** The latest, whose standing is shown at each step. */
  replay: Replay | undefined
}

export const Steps = ({ steps, replay }: StepsProps) => (
  <ol className={classes.list} aria-label="Steps">
    {steps.map((step, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place
      <li key={place} className={classes.entry}>
        <Step step={step} played={replay?.steps[place]} place={place} />
      </li>
    ))}
  </ol>
)

interface StepProps {
  step: RecordingDetail['steps'][number]
  played: ReplayStep | undefined
  place: number
}

function Step({ step: { action, element }, played, place }: StepProps) {
  const Icon = played ? icons[played.status] : null
  const words = wordsOf(action)
  return (
    <>
      <span style={{ display: 'flex', gap: '0.5rem', alignItems: 'flex-start' }}>
        <span className={classes.number}>{place + 1}</span>
        <span className="grow">
          <b>{titleOf(action.action)}</b> {aimOf(action, element?.name ?? element?.text ?? null)}{' '}
          {words && <i>{words}</i>}
        </span>
        {Icon && played && <Icon size={16} role="img" aria-label={played.status} />}
      </span>
      {played && played.status !== 'pending' && (
        <Text size="xs" c={played.error ? 'var(--mantine-color-error)' : 'dimmed'} pl="2.1rem">
          {[
            played.duration_ms === null ? null : `${whole(Math.round(played.duration_ms))} ms`,
            played.locator_used,
            played.error,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      )}
    </>
  )
}
