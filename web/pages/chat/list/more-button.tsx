import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'

interface MoreButtonProps
  extends Omit<ActionIconProps, 'className'>,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  title: string
  className?: string | undefined
}

export function MoreButton({ title, className, ...others }: MoreButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      className={className}
      aria-label={`More for ${title}`}
      {...others}
    >
      <IconDots size={18} />
    </ActionIcon>
  )
}
