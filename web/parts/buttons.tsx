import { ActionIcon, type ActionIconProps, Button, type ButtonProps, Tooltip } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ComponentPropsWithRef, ComponentType, ReactNode } from 'react'
import { Link } from 'wouter'

export type Icon = ComponentType<{ size?: number | string }>

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

export interface SmallButtonProps extends ButtonProps, Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  icon?: Icon | undefined
}

export const SmallButton = ({ icon: Icon, ...rest }: SmallButtonProps) => (
  <Button size="xs" variant="default" leftSection={Icon && <Icon size={14} />} {...rest} />
)

/** The button that adds to a list. */
export const AddButton = (props: SmallButtonProps) => <SmallButton variant="filled" icon={IconPlus} {...props} />

interface NewLinkProps {
  href: string
  children: ReactNode
}

/** The link to the form for something new, at the top of its page. */
export const NewLink = (props: NewLinkProps) => <LinkButton size="sm" variant="filled" icon={IconPlus} {...props} />

/** A button that deletes, which asks first. */
export const DangerButton = (props: SmallButtonProps) => (
  <SmallButton c={props.disabled ? undefined : 'var(--mantine-color-error)'} {...props} />
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
