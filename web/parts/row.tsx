import { Group, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { SmallButton } from './buttons.tsx'

export interface RowProps {
  name: string
  /** Name for screen readers. Default: the name. */
  label?: string
  /** Where the name leads, or what a click on it does. */
  open?: string | (() => void)
  size?: 'sm'
  icon?: ReactNode
  /** Next to the name. */
  badges?: ReactNode
  /** Buttons at the right. */
  actions?: ReactNode
  /** Below the name. */
  children?: ReactNode
  /** Below everything, over the full width. A function makes them on request, after a click. */
  details?: ReactNode | (() => ReactNode)
  /** Label of the button that shows the details. Default: Details. */
  verb?: string
}

/** One entity of a list. */
export function Row({ name, label = name, open, size, icon, badges, children, ...props }: RowProps) {
  const { actions, details, verb = 'Details' } = props
  const [opened, { toggle }] = useDisclosure()
  const text = { fw: 500, ...(size && { size }) }
  const shown = typeof details === 'function' ? opened && details() : details
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={label}>
      {icon}
      <div className="words">
        <Group gap={6}>
          {typeof open === 'string' ? (
            <Text component={Link} href={open} c="inherit" td="none" {...text}>
              {name}
            </Text>
          ) : open ? (
            <UnstyledButton fz={size} onClick={open} {...text}>
              {name}
            </UnstyledButton>
          ) : (
            <Text {...text}>{name}</Text>
          )}
          {badges}
        </Group>
        {children}
      </div>
      {(actions || typeof details === 'function') && (
        <Group gap="xs">
          {typeof details === 'function' && (
            <SmallButton aria-expanded={opened} onClick={toggle}>
              {opened ? 'Hide' : verb}
            </SmallButton>
          )}
          {actions}
        </Group>
      )}
      {shown && <div className="wide">{shown}</div>}
    </article>
  )
}
