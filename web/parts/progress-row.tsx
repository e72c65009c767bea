import { Checkbox, Group, Progress } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './progress-row.module.css'
import { type Status, StatusBadge } from './status.tsx'
import { Time } from './time.tsx'
import { Hint, NameLink } from './typography.tsx'

interface ProgressRowProps {
  name: string
  href: string
  /** Shown as a badge. */
  status: Status
  /** A line below the name; `error` is shown instead of it. */
  detail: string
  error: string | null
  /** `label` says what the bar shows. Default: the progress. */
  progress: { text: string; percent: number; color: Status['color']; label?: string }
  cost: string
  updated_at: string
  menu: ReactNode
  /** While rows are being selected. */
  selection?: { checked: boolean; toggle: () => void } | undefined
}

/** Long work in a list: its status, how far it is, and what it has cost. */
export const ProgressRow = ({ name, status, detail, error, progress, ...props }: ProgressRowProps) => (
  <article className={classes.row} aria-label={name}>
    <div className={classes.about}>
      <Group gap="xs" wrap="nowrap">
        {props.selection && (
          <Checkbox
            size="sm"
            aria-label={`Select ${name}`}
            checked={props.selection.checked}
            onChange={props.selection.toggle}
          />
        )}
        <NameLink href={props.href}>{name}</NameLink>
        <StatusBadge {...status} />
      </Group>
      <Hint truncate c={error ? 'var(--mantine-color-error)' : 'dimmed'}>
        {error ?? detail}
      </Hint>
    </div>
    <div>
      <Hint>{progress.text}</Hint>
      <Progress
        size="sm"
        mt={4}
        value={progress.percent}
        color={progress.color}
        aria-label={`${progress.label ?? 'Progress'} of ${name}`}
      />
    </div>
    <Hint>{props.cost}</Hint>
    <Hint>
      <Time at={props.updated_at} />
    </Hint>
    <div className={classes.menu}>{props.menu}</div>
  </article>
)
