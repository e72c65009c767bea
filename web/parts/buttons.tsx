import { ActionIcon, type ActionIconProps, Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ComponentPropsWithRef, ComponentType, ReactNode } from 'react'
import { Link } from 'wouter'

type Icon = ComponentType<{ size?: number | string }>

interface IconButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'children'> {
  /** The tooltip, and the name for screen readers. */
  label: string
  icon: Icon
}

export const IconButton = ({ label, icon: Icon, ...rest }: IconButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest}>
      <Icon size={17} />
    </ActionIcon>
  </Tooltip>
)

interface ActionButtonProps extends ButtonProps {
  icon?: Icon
  /** A mutation without input. */
  run: { mutate(): void; isPending: boolean }
  children: ReactNode
}

/** Runs a mutation and shows that it is running. */
export const ActionButton = ({ icon: Icon, run, ...rest }: ActionButtonProps) => (
  <Button
    size="xs"
    variant="default"
    leftSection={Icon && <Icon size={14} />}
    loading={run.isPending}
    onClick={() => run.mutate()}
    {...rest}
  />
)

interface LinkButtonProps extends ButtonProps {
  icon?: Icon
  href: string
  children: ReactNode
  'aria-label'?: string
}

export const LinkButton = ({ icon: Icon, ...rest }: LinkButtonProps) => (
  <Button component={Link} size="xs" variant="default" leftSection={Icon && <Icon size={14} />} {...rest} />
)
