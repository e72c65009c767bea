import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface RowProps {
  name: string
  /** Name for screen readers. Default: the name. */
  label?: string
  icon?: ReactNode
  /** Next to the name. */
  badges?: ReactNode
  /** Buttons at the right. */
  actions?: ReactNode
  /** Below the name. */
  children?: ReactNode
  /** Below everything, over the full width. */
  details?: ReactNode
}

/** One entity of a list. */
export const Row = ({ name, label = name, icon, badges, actions, children, details }: RowProps) => (
  <article className="row" style={{ flexWrap: 'wrap' }} aria-label={label}>
    {icon}
    <div className="words">
      <Group gap={6}>
        <Text fw={500}>{name}</Text>
        {badges}
      </Group>
      {children}
    </div>
    {actions && <Group gap="xs">{actions}</Group>}
    {details && <div className="wide">{details}</div>}
  </article>
)
