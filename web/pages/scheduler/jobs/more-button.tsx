import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'

interface MoreButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  name: string
}

export function MoreButton({ name, ...rest }: MoreButtonProps) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`} {...rest}>
      <IconDots size={18} />
    </ActionIcon>
  )
}
